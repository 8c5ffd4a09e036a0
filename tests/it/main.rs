//! Every test against real Postgres, HTTP and processes, in one binary: linking is what costs.

// Here a panic is how a test fails.
#![allow(clippy::unwrap_used)]

mod admin;
mod batches;
mod cli;
mod clock;
mod config;
mod deliver;
mod embedded;
mod examples;
mod filters;
mod handler;
mod lock_order;
mod maintenance;
mod pairing;
mod promises;
mod receive;
mod record;
mod replay;
mod respond;
mod shutdown;
mod smoke;
mod support;
