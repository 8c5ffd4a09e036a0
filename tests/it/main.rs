//! Every test against real Postgres, HTTP and processes, in one binary: linking is what costs.

mod config;
mod embedded;
mod handler;
mod promises;
mod receive;
mod record;
mod smoke;
mod support;
