//! `[breaker]`: when a destination that fails is left alone, and for how long.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::duration;

/// `[breaker]`: when a destination that fails is left alone, and for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Breaker {
    /// Failures in a row that open it.
    pub failures: u32,
    /// The longest these may take.
    #[serde(with = "duration")]
    pub within: Duration,
    /// How long it then stays open; doubled each time the try after that fails.
    #[serde(with = "duration")]
    pub open_for: Duration,
    /// What that never exceeds.
    #[serde(with = "duration")]
    pub longest: Duration,
}
