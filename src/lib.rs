//! Hookgate.
pub mod config;
