//! Hookgate.
