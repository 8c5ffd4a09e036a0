//! Every read the operator API makes. Nothing here writes or locks.
//!
//! Rows are the API's resources and serialise as they are shown, except for headers, bodies and targets, which
//! `admin/` masks first. The caller runs them in a read-only transaction with a statement timeout.

pub(crate) mod backlog;
pub(crate) mod breakers;
pub(crate) mod declared;
pub(crate) mod deliveries;
pub(crate) mod jobs;
pub(crate) mod lanes;
pub(crate) mod pairing;
pub(crate) mod work;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

/// A moment, shown as RFC 3339 in UTC with microseconds: what Postgres keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct Stamp(pub(crate) DateTime<Utc>);

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Micros, true))
    }
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn a_moment_is_shown_in_utc_with_microseconds() {
        let moment = chrono::DateTime::from_timestamp_micros(1_764_530_000_000_001).unwrap();
        assert_eq!(serde_json::to_value(Stamp(moment)).unwrap(), "2025-11-30T19:13:20.000001Z");
    }
}
