//! Which subscriptions this worker must start nothing of.
//!
//! The claim asks the database itself, so it needs none of this. A lane that was claimed before the pause does: each of its
//! jobs would start in the settle of the one before, which is the hottest statement there is, and no place for a question
//! whose answer changes once a month. So the worker remembers, and looks when the counters of the registry say so.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

#[derive(Debug, Default)]
pub(super) struct Paused(RwLock<Known>);

#[derive(Debug, Default)]
struct Known {
    /// The registry's generation and its count of pauses.
    at: Option<(i64, i64)>,
    subscriptions: HashSet<i32>,
}

impl Paused {
    /// Whether what is known is of these counters. A new generation may have brought subscriptions that are born paused.
    pub(super) fn is_of(&self, dates: (i64, i64)) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).at == Some(dates)
    }

    pub(super) fn learn(&self, dates: (i64, i64), subscriptions: Vec<i32>) {
        let known = Known { at: Some(dates), subscriptions: subscriptions.into_iter().collect() };
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    pub(super) fn covers(&self, subscription: i32) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).subscriptions.contains(&subscription)
    }
}
