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
mod faults;
mod filters;
mod forwards;
mod handler;
mod limits;
mod lock_order;
mod maintenance;
mod migrations;
mod order;
mod pairing;
mod pooler;
mod promises;
mod receive;
mod record;
mod replay;
mod respond;
mod several_gateways;
mod shutdown;
mod smoke;
mod steering;
mod support;
