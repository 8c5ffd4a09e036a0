//! What was refused and why, for the operator alone: the sender of a refused request learns nothing.
//!
//! Bounded memory of this process: the last few hundred refusals and a count for each source and reason. No payload,
//! no header value: only which headers were there, cut and limited, since their names are the sender's too.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use chrono::Utc;
use hookgate_providers::Headers;
use serde::Serialize;

use crate::store::search::Stamp;
use crate::telemetry;

const KEPT: usize = 500;
const NAMES: usize = 64;
const NAME_BYTES: usize = 64;

/// The label of refusals that no configured source can be blamed for.
pub(crate) const NO_SOURCE: &str = "unknown";

/// One refused request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    at: Stamp,
    source: String,
    reason: &'static str,
    peer: IpAddr,
    size: usize,
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
    counts: BTreeMap<(String, &'static str), u64>,
}

/// How often a source's requests were refused for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) source: String,
    pub(crate) reason: &'static str,
    pub(crate) refusals: u64,
}

impl Refusals {
    /// Notes a refusal and counts it. Never waits for anything but another note.
    ///
    /// `source` is the *configured* source's name, [`NO_SOURCE`] when the path names none: counts and labels are kept
    /// by it. `size` is how many bytes of the body were read.
    pub fn note(
        &self,
        source: &str,
        reason: &'static str,
        peer: SocketAddr,
        headers: &Headers,
        size: usize,
    ) {
        metrics::counter!(telemetry::REFUSALS_TOTAL, "source" => source.to_owned(), "reason" => reason)
            .increment(1);
        let refusal = Refusal {
            at: Stamp(Utc::now()),
            source: source.to_owned(),
            reason,
            peer: peer.ip(),
            size,
            headers: headers.iter().take(NAMES).map(|(name, _)| cut(name)).collect(),
        };

        // A panic elsewhere leaves counts that are still right.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        *inner.counts.entry((source.to_owned(), reason)).or_default() += 1;
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
            .map(|((source, reason), n)| Count {
                source: source.clone(),
                reason,
                refusals: *n,
            })
            .collect()
    }
}

fn cut(name: &str) -> String {
    name.chars()
        .take(NAME_BYTES)
        .filter(|c| c.is_ascii_graphic())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_counts_go_on() {
        let refusals = Refusals::default();
        let peer = "192.0.2.1:443".parse().unwrap();
        let long = "x".repeat(10_000);
        let headers: Headers = (0..100).map(|_| (long.as_str(), "a secret")).collect();
        for size in 0..600 {
            refusals.note("stripe", "bad_signature", peer, &headers, size);
        }
        refusals.note(NO_SOURCE, "unknown_source", peer, &Headers::new(), 0);
        let recent = refusals.recent(10_000);
        assert_eq!(recent.len(), KEPT);
        assert_eq!(recent[0].reason, "unknown_source", "newest first");
        assert_eq!(recent[1].size, 599);
        assert_eq!((recent[1].headers.len(), recent[1].headers[0].len()), (NAMES, NAME_BYTES));
        let counts: Vec<_> = refusals.counts().into_iter().map(|c| (c.source, c.refusals)).collect();
        assert_eq!(counts, [("stripe".to_owned(), 600), (NO_SOURCE.to_owned(), 1)]);
    }
}
