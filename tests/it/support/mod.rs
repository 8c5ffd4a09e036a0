//! What the tests stand on.

pub(crate) mod eventually;
pub(crate) mod gateway;
pub(crate) mod lost_answer;
pub(crate) mod postgres;
pub(crate) mod process;
pub(crate) mod puppet;
pub(crate) mod work;
