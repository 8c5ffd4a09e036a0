//! How a command ends: one table of exit codes, and failures that say what to do.

use std::fmt;
use std::process::ExitCode;

use crate::config::ConfigError;

/// What the exit code of a command means. Scripts rely on these numbers; they never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Done,
    No,
    Usage,
    Unreachable,
    NotAllowed,
    NotFound,
}

impl Exit {
    pub(super) const ALL: [Exit; 6] =
        [Self::Done, Self::No, Self::Usage, Self::Unreachable, Self::NotAllowed, Self::NotFound];

    pub(super) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::NotAllowed => 4,
            Self::NotFound => 5,
        }
    }

    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done, or the answer is yes",
            Self::No => "the answer is no: refused, contradictory, or not as told",
            Self::Usage => "the command line makes no sense",
            Self::Unreachable => "the gateway or the database cannot be reached",
            Self::NotAllowed => "the gateway does not allow it (401, 403)",
            Self::NotFound => "there is no such thing (404)",
        }
    }

    /// The table for `--help`.
    pub(super) fn table() -> String {
        Self::ALL.iter().fold(String::from("Exit codes:\n"), |table, exit| {
            table + &format!("  {}  {}\n", exit.code(), exit.meaning())
        })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// Why a command did not do what it was asked: what is wrong, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) exit: Exit,
    sentence: String,
    advice: Option<String>,
}

impl Failure {
    pub(super) fn new(exit: Exit, sentence: impl Into<String>) -> Self {
        Self { exit, sentence: sentence.into(), advice: None }
    }

    pub(super) fn no(sentence: impl Into<String>) -> Self {
        Self::new(Exit::No, sentence)
    }

    pub(super) fn usage(sentence: impl Into<String>) -> Self {
        Self::new(Exit::Usage, sentence)
    }

    /// Says what to do, on a line of its own.
    #[must_use]
    pub(super) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.sentence)?;
        self.advice.iter().try_for_each(|advice| write!(f, "\n  → {advice}"))
    }
}

/// The sentences of a refused configuration say themselves what to change.
impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let sentences: Vec<String> = error.sentences().collect();
        Self::no(format!("the configuration is refused:\n  {}", sentences.join("\n  ")))
    }
}

/// An error with what caused it, as one line. Libraries often print the cause as part of the error; it is not repeated.
pub(super) fn told(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !told.contains(&text) {
            told = format!("{told}: {text}");
        }
        cause = error.source();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_distinct_and_in_the_order_of_the_table() {
        let codes: Vec<u8> = Exit::ALL.iter().map(|exit| exit.code()).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
        let table = Exit::table();
        assert!(Exit::ALL.iter().all(|exit| table.contains(exit.meaning())), "{table}");
    }

    #[test]
    fn a_failure_is_one_sentence_and_what_to_do() {
        let failure = Failure::no("the port is taken").advise("choose another");
        assert_eq!(failure.to_string(), "error: the port is taken\n  → choose another");
    }
}
