//! What a handler calls and may be down: a circuit breaker under a name of its own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::HandlerError;
use crate::breaker::{Breakers, Report};
use crate::job::Outcome;
use crate::store::Token;

/// How much longer than its attempt a try may take to be told of, before another takes its place.
const MARGIN: Duration = Duration::from_secs(5);

/// The longest name.
const LONGEST: usize = 255;

/// Something that handlers call and that may be down: made by [`Context::dependency`](super::Context::dependency).
///
/// All gateways on one database keep one circuit breaker under its name. After so many failures in a row (`[breaker]` in
/// the configuration) it opens: calls are refused without being made, the job waits until it is tried again, and no
/// attempt of its budget is used up. Then one call, of all gateways together, tries it.
///
/// ```no_run
/// # use hookgate::{Context, HandlerError};
/// # async fn post(_: u32) -> Result<u32, std::io::Error> { Ok(1) }
/// async fn credit(amount: u32, cx: &mut Context) -> Result<(), HandlerError> {
///     let entry = cx.dependency("ledger").call(|| post(amount)).await?;
/// #   let _ = entry;
///     Ok(())
/// }
/// ```
#[must_use = "a dependency guards only what is called through it"]
pub struct Dependency {
    name: String,
    breakers: Option<Arc<Breakers>>,
    by: Token,
    left: Duration,
}

impl Dependency {
    pub(crate) fn new(name: String, breakers: Option<Arc<Breakers>>, by: Token, left: Duration) -> Self {
        Self { name, breakers, by, left }
    }

    /// Makes a call, unless the breaker is open. An error counts as a failure of the dependency if it means *try again*; one
    /// that is [`permanent`](super::Fail::permanent) or a snooze is about the event. So does a call that the handler's
    /// timeout cuts off.
    pub async fn call<T, E, Called>(&self, call: impl FnOnce() -> Called) -> Result<T, HandlerError>
    where
        E: Into<HandlerError>,
        Called: Future<Output = Result<T, E>>,
    {
        let begun = self.begin().await?;
        match call().await {
            Ok(value) => {
                begun.succeeded().await;
                Ok(value)
            }
            Err(error) => {
                let error: HandlerError = error.into();
                begun.tell(about(&error.outcome())).await;
                Err(error)
            }
        }
    }

    /// Begins a call whose end you tell yourself, for what does not fit into [`call`](Self::call). The error, to be returned
    /// from the handler with `?`, says that the breaker is open.
    pub async fn begin(&self) -> Result<DependencyCall, HandlerError> {
        if self.name.is_empty() || self.name.len() > LONGEST {
            let why = format!("a dependency's name has 1 to {LONGEST} bytes, and this one has {}", self.name.len());
            return Err(HandlerError::because(why).permanent());
        }
        let begun = |is_probe| DependencyCall {
            is_probe,
            name: self.name.clone(),
            by: self.by,
            breakers: self.breakers.clone(),
        };
        let Some(breakers) = &self.breakers else { return Ok(begun(false)) };
        match breakers.enter(&self.name, self.by, self.left.saturating_add(MARGIN)).await {
            Ok(is_probe) => Ok(begun(is_probe)),
            Err(wait) => {
                Err(HandlerError::deferred(wait, format!("`{}` is left alone: its breaker is open", self.name)))
            }
        }
    }
}

/// A call of a [`Dependency`] that has begun. Dropped without a word it counts as failed: that is how a call looks that the
/// handler's timeout cut off.
#[must_use = "a call that is dropped without a word counts as failed"]
pub struct DependencyCall {
    is_probe: bool,
    name: String,
    by: Token,
    breakers: Option<Arc<Breakers>>,
}

impl DependencyCall {
    /// The dependency did its part, whatever it thinks of this event.
    pub async fn succeeded(self) {
        self.tell(Report::Succeeded).await;
    }

    /// The dependency did not answer, or could not.
    pub async fn failed(self) {
        self.tell(Report::Failed { unavailable_for: None }).await;
    }

    async fn tell(mut self, report: Report) {
        if let Some(breakers) = self.breakers.take() {
            breakers.report(&self.name, self.by, report, self.is_probe).await;
        }
    }
}

fn about(outcome: &Outcome) -> Report {
    match outcome {
        Outcome::Failed { .. } => Report::Failed { unavailable_for: None },
        // Another one that it called within this call.
        Outcome::Deferred { .. } => Report::Unclear,
        _ => Report::Succeeded,
    }
}

impl Drop for DependencyCall {
    fn drop(&mut self) {
        if let Some(breakers) = self.breakers.take() {
            breakers.report_dropped(std::mem::take(&mut self.name), self.by, self.is_probe);
        }
    }
}

impl fmt::Debug for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dependency").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for DependencyCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DependencyCall").field("name", &self.name).finish_non_exhaustive()
    }
}
