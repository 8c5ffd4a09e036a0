//! Settings that are each allowed and together are not.

mod capacity;
mod coverage;
mod order;
mod providers;
mod routes;
mod times;

use std::fmt;

use super::error::Complaints;
use super::{Config, ConfigError};

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
        let mut found = Findings(Vec::new());
        times::check(self, &mut found);
        capacity::check(self, &mut found);
        routes::check(self, &mut found);
        order::check(self, &mut found);
        providers::check(self, &mut found);
        coverage::check(self, &mut found);
        found.0.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
        found.0
    }

    /// Refuses to go on if any contradiction is an error; otherwise gives the warnings and notes, to be shown once.
    pub fn refuse_contradictions(&self) -> Result<Vec<Problem>, ConfigError> {
        let mut complaints = Complaints::default();
        let mut bearable = Vec::new();
        for problem in self.contradictions() {
            match problem.severity {
                Severity::Error => complaints.say(problem.sentence),
                Severity::Warning | Severity::Note => bearable.push(problem),
            }
        }
        complaints.none_or(bearable)
    }
}

struct Findings(Vec<Problem>);

impl Findings {
    fn error(&mut self, sentence: String) {
        self.0.push(Problem { severity: Severity::Error, sentence });
    }

    fn warning(&mut self, sentence: String) {
        self.0.push(Problem { severity: Severity::Warning, sentence });
    }

    fn note(&mut self, sentence: String) {
        self.0.push(Problem { severity: Severity::Note, sentence });
    }
}
