//! Hookgate.
pub mod config;
pub mod embedded;
