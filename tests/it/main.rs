//! Integration tests.
mod config;

mod embedded;
mod support;
