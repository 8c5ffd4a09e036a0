//! What users write handlers against: an async function, or a forward from the configuration.
//!
//! Both end up as a [`Handler`]: a value that says what to listen to, under which policy, and what to run. The delivery
//! stage knows nothing else about them. A handler gets a [`Context`]; its effects in our database and its completion
//! commit together or not at all, because it is lent a transaction that it doesn't end.

mod check;
mod context;
mod definition;
mod delivery;
mod dependency;
mod error;
pub(crate) mod forward;
mod function;
mod json_path;
mod payload;
mod state;

pub use crate::config::{OnFailure, Order};
pub use check::DefinitionError;
pub(crate) use check::refuse_two_answers;
pub use context::Context;
pub(crate) use context::ContextParts;
pub(crate) use definition::Kind;
pub use definition::{Handler, Named, On, on};
pub use delivery::Delivery;
pub use dependency::{Dependency, DependencyCall};
pub use error::{Fail, HandlerError};
pub use function::HandlerFn;
pub use payload::{FromDelivery, Raw};
pub(crate) use state::State;

use futures_util::future::BoxFuture;

/// One execution of a handler, whatever its kind.
pub(crate) trait Run: Send + Sync {
    /// Runs once. Timeout and panic guard are the caller's; dropping the future is how it is cancelled.
    fn run<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<(), HandlerError>>;
}
