//! Hookgate.

pub mod embedded;
