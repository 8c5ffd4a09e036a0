//! One binary, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test may fail here")]

mod batches;
mod catalogue;
mod conformance;
mod custom;
mod handshakes;
mod hostile;
mod libraries;
mod offers;
mod provider_keys;
mod request;
mod scheme;
mod signatures;
mod signed;
mod vectors;

#[path = "../../examples/vectors/runner.rs"]
mod runner;

#[path = "../../examples/vectors/secrets.rs"]
mod secrets;

#[path = "../../examples/vectors/vector.rs"]
mod vector;
