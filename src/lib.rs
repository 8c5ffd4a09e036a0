//! Hookgate stands between webhook providers and your code: it verifies, deduplicates, stores, acknowledges, runs
//! handlers in order with retries, and replays. See the README for the two commands to begin with.
//!
//! A gateway of your own, with handlers in Rust:
//!
//! ```no_run
//! use hookgate::{Context, Gateway, HandlerError, on};
//!
//! #[derive(serde::Deserialize)]
//! struct Invoice {
//!     customer: String,
//! }
//!
//! async fn paid(invoice: Invoice, cx: &mut Context) -> Result<(), HandlerError> {
//!     sqlx::query("insert into paid (customer) values ($1)").bind(&invoice.customer).execute(cx.tx().await?).await?;
//!     Ok(())
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     Gateway::builder().handler(on("stripe", &["invoice.paid"]).name("paid").run(paid)).run_cli()
//! }
//! ```

// The tests inside share the database of those outside, which know this crate by its name.
#[cfg(test)]
extern crate self as hookgate;

#[doc(hidden)]
pub mod admin;
mod answers;
mod breaker;
mod cli;
mod clock;
mod condition;
pub mod config;
mod database;
mod deliver;
pub mod embedded;
mod error;
mod gateway;
mod handler;
mod headers;
mod job;
mod lanes;
mod maintenance;
mod receive;
mod registry;
mod replay;
mod sealing;
mod serve;
mod steer;
mod store;
pub mod telemetry;
pub mod testing;

pub use condition::{About, Condition, Scalar};
pub use error::Error;
pub use gateway::{Builder, Gateway, Running};
pub use handler::{
    Context, DefinitionError, Delivery, Dependency, DependencyCall, Fail, FromDelivery, Handler, HandlerError,
    HandlerFn, Named, On, OnFailure, Order, Raw, on,
};
