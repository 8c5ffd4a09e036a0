//! What the tests stand on.

pub(crate) mod batch;
pub(crate) mod destination;
pub(crate) mod eventually;
pub(crate) mod gateway;
pub(crate) mod key_host;
pub(crate) mod lost_answer;
pub(crate) mod metric;
pub(crate) mod pgbouncer;
pub(crate) mod postgres;
pub(crate) mod process;
pub(crate) mod proxy;
pub(crate) mod puppet;
pub(crate) mod rows;
pub(crate) mod wire;
pub(crate) mod witness;
pub(crate) mod work;
