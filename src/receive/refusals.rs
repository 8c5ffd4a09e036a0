//! What was refused and why, for the operator alone: the sender of a refused request learns nothing.
//!
//! Bounded memory of this process: the last few hundred refusals and a count for each source and reason. No payload,
//! no header value: only which headers were there, cut and limited, since their names are the sender's too.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::store::search::Stamp;
use crate::telemetry;

const KEPT: usize = 500;
const NAMES: usize = 64;
const NAME_BYTES: usize = 64;

/// The label of refusals that no configured source can be blamed for.
const NO_SOURCE: &str = "unknown";

/// One refused request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    at: Stamp,
    source: Option<String>,
    reason: &'static str,
    peer: Option<IpAddr>,
    size: u64,
    headers: Vec<String>,
}

/// The refusals of this process.
#[derive(Debug, Default)]
pub struct Refusals {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    recent: VecDeque<Refusal>,
    counts: BTreeMap<(Option<String>, &'static str), u64>,
}

/// How often a source's requests were refused for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) source: Option<String>,
    pub(crate) reason: &'static str,
    pub(crate) refusals: u64,
}

impl Refusals {
    /// Notes a refusal and counts it. Never waits for anything but another note.
    ///
    /// `source` is the *configured* source, `None` when the path names none: counts and labels are kept by it.
    /// `size` is how many bytes of the body were read. Of `headers` only the names are given.
    pub fn note<'a>(
        &self,
        source: Option<&str>,
        reason: &'static str,
        peer: Option<IpAddr>,
        at: DateTime<Utc>,
        size: u64,
        headers: impl IntoIterator<Item = &'a str>,
    ) {
        let label = source.unwrap_or(NO_SOURCE).to_owned();
        metrics::counter!(telemetry::REFUSALS, "source" => label, "reason" => reason).increment(1);
        let headers = headers.into_iter().take(NAMES).map(cut).collect();
        let source = source.map(str::to_owned);
        let refusal = Refusal { at: Stamp(at), source: source.clone(), reason, peer, size, headers };

        // A panic elsewhere leaves counts that are still right.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        *inner.counts.entry((source, reason)).or_default() += 1;
        if inner.recent.len() == KEPT {
            inner.recent.pop_front();
        }
        inner.recent.push_back(refusal);
    }

    /// The newest `limit` refusals, newest first.
    pub(crate) fn recent(&self, limit: usize) -> Vec<Refusal> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.recent.iter().rev().take(limit).cloned().collect()
    }

    /// Every count since the process started, by source and reason.
    pub(crate) fn counts(&self) -> Vec<Count> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner
            .counts
            .iter()
            .map(|((source, reason), n)| Count { source: source.clone(), reason, refusals: *n })
            .collect()
    }
}

fn cut(name: &str) -> String {
    name.chars().take(NAME_BYTES).filter(|c| c.is_ascii_graphic()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_counts_go_on() {
        let refusals = Refusals::default();
        let at = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let long = "x".repeat(10_000);
        for n in 0..600 {
            refusals.note(Some("stripe"), "bad_signature", None, at, n, vec![long.as_str(); 100]);
        }
        refusals.note(None, "unknown_source", None, at, 0, []);
        let recent = refusals.recent(10_000);
        assert_eq!(recent.len(), KEPT);
        assert_eq!(recent[0].reason, "unknown_source", "newest first");
        assert_eq!(recent[1].size, 599);
        assert_eq!((recent[1].headers.len(), recent[1].headers[0].len()), (NAMES, NAME_BYTES));
        let counts: Vec<_> = refusals.counts().into_iter().map(|c| (c.source, c.refusals)).collect();
        assert_eq!(counts, [(None, 1), (Some("stripe".to_owned()), 600)]);
    }
}
