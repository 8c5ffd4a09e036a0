//! Integration tests.
mod config;
