//! What the soak shares with the tests in `it`, which use more of it.

#[path = "../it/support/gateway.rs"]
#[allow(dead_code)]
pub(crate) mod gateway;
#[path = "../it/support/postgres.rs"]
#[allow(dead_code)]
pub(crate) mod postgres;
