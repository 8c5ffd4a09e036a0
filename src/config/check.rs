//! Settings that are each allowed and together are not.

use std::fmt;

use super::Config;

/// One thing wrong, or worth knowing, about how settings fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Whether it stops the start.
    pub severity: Severity,
    /// One sentence that names every setting involved.
    pub sentence: String,
}

/// How much a [`Problem`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Works, though probably not as meant.
    Warning,
    /// Cannot work, or loses something: refused.
    Error,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {}", self.sentence)
    }
}

impl Config {
    /// Everything about how settings fit together that should be known, worst first.
    pub fn contradictions(&self) -> Vec<Problem> {
        Vec::new()
    }
}
