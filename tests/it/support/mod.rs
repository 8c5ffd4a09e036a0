//! What the tests stand on.

pub(crate) mod gateway;
pub(crate) mod postgres;
