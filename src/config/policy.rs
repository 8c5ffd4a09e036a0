//! `[handler_defaults]`, which every `[[forward]]` may set for itself: how a handler is run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Rate, duration, places};

/// `[handler_defaults]`: how a handler is run unless it says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct HandlerPolicy {
    /// Failures after which a job is dead. Left out beside a list of waits, it is one more than that has.
    #[serde(default)]
    pub attempts: u32,
    /// How long one attempt may take.
    #[serde(with = "duration")]
    pub timeout: Duration,
    /// Most attempts of this handler running at once in one process.
    pub concurrency: usize,
    /// Most attempts started in a time, over all processes; `None`: as many as come.
    pub rate: Option<Rate>,
    /// Most attempts started at once after a quiet time; `None`: a second's worth.
    pub burst: Option<u32>,
    /// Delay bound after the first failure; the delay itself is drawn evenly below the bound.
    #[serde(with = "duration")]
    pub backoff_base: Duration,
    /// What each further failure multiplies the bound by.
    pub backoff_factor: u32,
    /// What the bound never exceeds; caps a destination's Retry-After too.
    #[serde(with = "duration")]
    pub backoff_cap: Duration,
    /// The waits between attempts one by one, instead of the back-off; the last one repeats as long as `attempts` allows.
    #[serde(with = "duration::list")]
    pub retry: Vec<Duration>,
    /// How long after its first failure a job is still tried again.
    #[serde(default, with = "duration::optional", skip_serializing_if = "Option::is_none")]
    pub give_up_after: Option<Duration>,
    /// How long a failing head holds its lane up.
    #[serde(with = "duration")]
    pub block_for: Duration,
    /// Whether events of one ordering key wait for each other.
    pub order: Order,
    /// What a lane does while its head fails.
    pub on_failure: OnFailure,
    /// How long a lane that was idle waits, to start in the provider's order.
    #[serde(with = "duration")]
    pub reorder_window: Duration,
    /// Where the ordering key is, as written; `None`: where the source says.
    #[serde(default, with = "places", skip_serializing_if = "Option::is_none")]
    pub ordering_key: Option<Vec<String>>,
    /// Where the version is; `None`: where the source says.
    #[serde(default, with = "places", skip_serializing_if = "Option::is_none")]
    pub version: Option<Vec<String>>,
}

/// How many attempts there are: what is written, else as many as a list of waits has room for. A list is written so that it
/// can be counted, so it does not inherit a number ([`super::sheet`]).
pub(super) fn attempts(written: u32, retry: &[Duration]) -> u32 {
    match written {
        0 if !retry.is_empty() => u32::try_from(retry.len()).unwrap_or(u32::MAX).saturating_add(1),
        written => written,
    }
}

/// Whether a handler's jobs with one ordering key wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// They do not.
    None,
    /// One at a time, in received order.
    Lane,
    /// One at a time, and only the newest version: older ones are passed over.
    Latest,
}

impl Order {
    /// The name used in the configuration, the database and the API.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lane => "lane",
            Self::Latest => "latest",
        }
    }
}

/// What a lane does while its head fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// It waits for the head's retry, at most `block_for` in all; then it goes on and the head retries outside it.
    Block,
    /// It goes on at once; the head retries outside it.
    Skip,
    /// It stops until an operator acts.
    Halt,
}

/// The longest reorder window.
pub(crate) const LONGEST_WINDOW: Duration = Duration::from_secs(5);
