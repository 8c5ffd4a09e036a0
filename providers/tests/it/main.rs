//! One binary, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test may fail here")]

mod batches;
mod batches_of_providers;
mod bounded;
mod catalogue;
mod conformance;
mod custom;
mod explain;
mod explain_silence;
mod handshakes;
mod hostile;
mod libraries;
mod offers;
mod provider_keys;
mod repeated_keys;
mod request;
mod rotation;
mod scheme;
mod signatures;
mod signed;
mod tampering;
mod vectors;

#[path = "../../examples/catalogue/page.rs"]
mod page;

#[path = "../../examples/vectors/runner.rs"]
mod runner;

#[path = "../../examples/vectors/secrets.rs"]
mod secrets;

#[path = "../../examples/vectors/vector.rs"]
mod vector;
