//! Many events in one request: each has a receipt and, of every function, a job of its own; a forward gets the request once.

mod elements;
mod forwards;
mod identity;
