//! The ledger of a run: what was hit, and how often.

use std::collections::BTreeMap;
use std::fmt;

/// Hits by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ledger {
    pub(super) histories: u64,
    pub(super) operations: u64,
    hits: BTreeMap<&'static str, u64>,
}

impl Ledger {
    pub(super) fn hit(&mut self, what: &'static str) {
        *self.hits.entry(what).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.histories += other.histories;
        self.operations += other.operations;
        for (what, n) in &other.hits {
            *self.hits.entry(what).or_default() += n;
        }
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>12}  histories", self.histories)?;
        writeln!(f, "{:>12}  operations", self.operations)?;
        for (what, n) in &self.hits {
            writeln!(f, "{n:>12}  {what}")?;
        }
        Ok(())
    }
}
