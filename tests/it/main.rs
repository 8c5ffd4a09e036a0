//! Every test against real Postgres, HTTP and processes, in one binary: linking is what costs.

mod admin;
mod cli;
mod config;
mod embedded;
mod handler;
mod shutdown;
mod smoke;
mod support;
