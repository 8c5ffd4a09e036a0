//! What may start, and when: rates over all gateways, shares of a handler's places, and breakers.

mod backlog;
mod breakers;
mod dependencies;
mod moody;
mod operators;
mod rates;
mod shares;
