//! Integration tests.

mod embedded;
mod support;
