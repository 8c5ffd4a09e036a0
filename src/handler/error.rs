//! How a handler fails: by `?` it is tried again on the schedule; everything else has to be said.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::job::Outcome;

/// Why a handler did not finish, and what should come of it.
///
/// Any error becomes one through `?` and then means *try again on the schedule*. The other meanings are asked for with
/// [`Fail`]: `.permanent()`, `.retry_after(..)`, `.snooze(..)`.
///
/// It does not implement [`Error`] itself: that is what lets `?` take every error there is.
pub struct HandlerError {
    meaning: Meaning,
    cause: Cause,
}

#[derive(Debug, Clone, Copy)]
enum Meaning {
    Retry { after: Option<Duration> },
    Permanent,
    Undecodable,
    Snooze { wait: Duration },
    Defer { wait: Duration },
}

enum Cause {
    Text(String),
    Error(Box<dyn Error + Send + Sync>),
}

impl HandlerError {
    /// A failure told in a sentence, tried again on the schedule.
    pub fn because(text: impl Into<String>) -> Self {
        Self { meaning: Meaning::Retry { after: None }, cause: Cause::Text(text.into()) }
    }

    /// Steps aside for `wait`, or until another job of the same lane ends: for an event that came before the one it
    /// builds on. Uses no attempt. The lane goes on meanwhile; stepping aside for too long in all counts as a failure.
    pub fn snooze(wait: Duration) -> Self {
        Self { meaning: Meaning::Snooze { wait }, cause: Cause::Text("stepped aside".to_owned()) }
    }

    /// No retry can help: the job is dead at once, and waits for an operator.
    #[must_use]
    pub fn permanent(self) -> Self {
        Self { meaning: Meaning::Permanent, ..self }
    }

    /// Tried again, but not before `wait` is over. Never sooner than the schedule says, and at most its longest wait.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        Self { meaning: Meaning::Retry { after: Some(wait) }, ..self }
    }

    /// What the handler needs is left alone for this long.
    pub(crate) fn deferred(wait: Duration, text: String) -> Self {
        Self { meaning: Meaning::Defer { wait }, cause: Cause::Text(text) }
    }

    pub(crate) fn undecodable(text: String) -> Self {
        Self { meaning: Meaning::Undecodable, cause: Cause::Text(text) }
    }

    /// What the state machine makes of it.
    pub(crate) fn outcome(&self) -> Outcome {
        match self.meaning {
            Meaning::Retry { after } => Outcome::Failed { retry_after: after },
            Meaning::Permanent => Outcome::Permanent,
            Meaning::Undecodable => Outcome::Undecodable,
            Meaning::Snooze { wait } => Outcome::Snoozed { wait },
            Meaning::Defer { wait } => Outcome::Deferred { wait },
        }
    }

    /// The whole chain of causes, for the attempt's record: `outer: middle: inner`.
    pub fn describe(&self) -> String {
        match &self.cause {
            Cause::Text(text) => text.clone(),
            Cause::Error(error) => {
                let mut told = error.to_string();
                let mut source = error.source();
                while let Some(cause) = source {
                    let text = cause.to_string();
                    // Many errors print their source as part of themselves; saying it twice helps nobody.
                    if !told.ends_with(&text) {
                        told.push_str(": ");
                        told.push_str(&text);
                    }
                    source = cause.source();
                }
                told
            }
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self { meaning: Meaning::Retry { after: None }, cause: Cause::Error(Box::new(error)) }
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.meaning, self.describe())
    }
}

/// Gives a failure a meaning other than *try again on the schedule*.
///
/// Works on errors, on text, on [`HandlerError`], and on the `Err` of a `Result`:
///
/// ```
/// use hookgate::{Fail, HandlerError};
///
/// fn check(amount: i64) -> Result<(), HandlerError> {
///     if amount <= 0 {
///         return Err("non-positive invoice").permanent();
///     }
///     "12".parse::<i64>().permanent()?;
///     Ok(())
/// }
/// # assert!(check(0).is_err() && check(1).is_ok());
/// ```
///
/// `Via` tells the four apart for the compiler; nobody writes it.
pub trait Fail<Via>: Sized {
    /// [`HandlerError`], or a `Result` with it.
    type Failed;

    /// No retry can help: the job is dead at once, and waits for an operator.
    fn permanent(self) -> Self::Failed;

    /// Tried again, but not before `wait` is over.
    fn retry_after(self, wait: Duration) -> Self::Failed;

    /// Steps aside for `wait`, or until another job of the same lane ends. Uses no attempt.
    fn snooze(self, wait: Duration) -> Self::Failed;
}

/// Markers that keep the implementations of [`Fail`] apart: the compiler can't know that text never is an error.
#[doc(hidden)]
#[allow(unreachable_pub, reason = "user code infers these types, and privacy is checked there too")]
pub mod via {
    pub enum Error {}
    pub enum Text {}
    pub enum Itself {}
    pub struct Inside<Via>(std::marker::PhantomData<Via>);
}

impl Fail<via::Itself> for HandlerError {
    type Failed = Self;

    fn permanent(self) -> Self {
        Self::permanent(self)
    }

    fn retry_after(self, wait: Duration) -> Self {
        Self::retry_after(self, wait)
    }

    fn snooze(self, wait: Duration) -> Self {
        Self { meaning: Meaning::Snooze { wait }, ..self }
    }
}

impl<E: Error + Send + Sync + 'static> Fail<via::Error> for E {
    type Failed = HandlerError;

    fn permanent(self) -> HandlerError {
        HandlerError::from(self).permanent()
    }

    fn retry_after(self, wait: Duration) -> HandlerError {
        HandlerError::from(self).retry_after(wait)
    }

    fn snooze(self, wait: Duration) -> HandlerError {
        Fail::snooze(HandlerError::from(self), wait)
    }
}

impl<T: AsRef<str>> Fail<via::Text> for T {
    type Failed = HandlerError;

    fn permanent(self) -> HandlerError {
        HandlerError::because(self.as_ref()).permanent()
    }

    fn retry_after(self, wait: Duration) -> HandlerError {
        HandlerError::because(self.as_ref()).retry_after(wait)
    }

    fn snooze(self, wait: Duration) -> HandlerError {
        Fail::snooze(HandlerError::because(self.as_ref()), wait)
    }
}

impl<T, E, Via> Fail<via::Inside<Via>> for Result<T, E>
where
    E: Fail<Via, Failed = HandlerError>,
{
    type Failed = Result<T, HandlerError>;

    fn permanent(self) -> Self::Failed {
        self.map_err(Fail::permanent)
    }

    fn retry_after(self, wait: Duration) -> Self::Failed {
        self.map_err(|error| error.retry_after(wait))
    }

    fn snooze(self, wait: Duration) -> Self::Failed {
        self.map_err(|error| error.snooze(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the ledger said no")]
    struct Refused(#[source] std::num::ParseIntError);

    fn refused() -> Refused {
        Refused("x".parse::<i32>().expect_err("x is no number"))
    }

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_question_mark_means_try_again() {
        fn handler() -> Result<(), HandlerError> {
            "x".parse::<i32>()?;
            Ok(())
        }
        let error = handler().expect_err("x is no number");
        assert_eq!(error.outcome(), Outcome::Failed { retry_after: None });
    }

    #[test]
    fn errors_texts_and_results_all_take_a_meaning() {
        let permanent: [HandlerError; 4] = [
            "text".permanent(),
            String::from("text").permanent(),
            refused().permanent(),
            HandlerError::because("text").permanent(),
        ];
        for error in permanent {
            assert_eq!(error.outcome(), Outcome::Permanent);
        }
        let results: [Result<(), HandlerError>; 3] = [
            Err("text").retry_after(MINUTE),
            Err(refused()).retry_after(MINUTE),
            Err(HandlerError::because("text")).retry_after(MINUTE),
        ];
        for result in results {
            let error = result.expect_err("made from Err");
            assert_eq!(error.outcome(), Outcome::Failed { retry_after: Some(MINUTE) });
        }
        assert_eq!("no parent yet".snooze(MINUTE).outcome(), Outcome::Snoozed { wait: MINUTE });
        assert_eq!(HandlerError::snooze(MINUTE).outcome(), Outcome::Snoozed { wait: MINUTE });
        assert!(Ok::<_, Refused>(1).permanent().is_ok());
    }

    #[test]
    fn the_description_keeps_the_whole_chain_once() {
        assert_eq!(
            HandlerError::from(refused()).permanent().describe(),
            "the ledger said no: invalid digit found in string",
        );
    }
}
