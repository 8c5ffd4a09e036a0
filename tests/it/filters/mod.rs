//! `when`: what does not fulfil a handler's conditions is recorded as filtered, and makes no work.

mod events;
mod recorded;
mod refusals;
