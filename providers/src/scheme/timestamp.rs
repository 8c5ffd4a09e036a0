//! Times as senders write them.

use chrono::{DateTime, SecondsFormat};

use super::Clock;
use crate::{Locate, Reject};

/// Where a sender writes the time of sending, how, and how far from ours it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timestamp {
    /// Where it is.
    pub at: Locate,
    /// How it is written.
    pub unit: Unit,
    /// How old it may be, in seconds, inclusive; and how far ahead, unless `ahead_s` says more.
    pub tolerance_s: u32,
    /// How far ahead of our clock it may be, in seconds and inclusive, where that is more.
    pub ahead_s: u32,
}

/// Microseconds since 1970, of any time that nineteen digits can say.
pub(super) type Micros = i128;

/// How a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Unit {
    /// Unix seconds.
    Seconds,
    /// Unix milliseconds.
    Milliseconds,
    /// RFC 3339, with any offset and fraction.
    Rfc3339,
    /// As in the `Date` header: `Tue, 14 Nov 2023 22:13:20 GMT`.
    #[serde(skip)]
    Rfc2822,
}

impl Timestamp {
    /// Unix seconds, at most five minutes off: what most senders do.
    pub const fn seconds(at: Locate) -> Self {
        Self { at, unit: Unit::Seconds, tolerance_s: 300, ahead_s: 0 }
    }

    /// Unix milliseconds, at most five minutes off.
    pub const fn milliseconds(at: Locate) -> Self {
        Self { unit: Unit::Milliseconds, ..Self::seconds(at) }
    }

    /// RFC 3339, at most five minutes off.
    pub const fn rfc3339(at: Locate) -> Self {
        Self { unit: Unit::Rfc3339, ..Self::seconds(at) }
    }

    /// At most this many seconds off.
    pub const fn within(self, tolerance_s: u32) -> Self {
        Self { tolerance_s, ..self }
    }

    /// Up to this many seconds ahead, where the provider's own library accepts any future time.
    pub const fn ahead(self, ahead_s: u32) -> Self {
        Self { ahead_s, ..self }
    }

    /// Whether a time written as `text` is fresh.
    pub(crate) fn check(&self, text: &str, clock: Clock) -> Result<(), Reject> {
        self.fresh(self.unit.microseconds(text).ok_or(Reject::TimestampMalformed)?, clock)
    }

    /// Whether this time is fresh.
    pub(super) fn fresh(&self, sent: Micros, clock: Clock) -> Result<(), Reject> {
        let age = i128::from(clock.now) * 1_000_000 - sent;
        let tolerance = i128::from(clock.tolerance_s.unwrap_or(self.tolerance_s)) * 1_000_000;
        let ahead = tolerance.max(i128::from(self.ahead_s) * 1_000_000);
        if age > tolerance {
            Err(Reject::TimestampTooOld)
        } else if age < -ahead {
            Err(Reject::TimestampInFuture)
        } else {
            Ok(())
        }
    }

    /// Whether it is a time at all.
    pub(crate) fn parses(&self, text: &str) -> bool {
        self.unit.microseconds(text).is_some()
    }
}

impl Unit {
    pub(super) fn microseconds(self, text: &str) -> Option<Micros> {
        match self {
            Self::Seconds => digits(text).map(|seconds| seconds * 1_000_000),
            Self::Milliseconds => digits(text).map(|milliseconds| milliseconds * 1_000),
            Self::Rfc3339 => DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_micros().into()),
            Self::Rfc2822 => DateTime::parse_from_rfc2822(text).ok().map(|time| time.timestamp_micros().into()),
        }
    }

    /// A time (Unix seconds) as this sender writes it.
    pub(crate) fn write(self, now: i64) -> String {
        match self {
            Self::Seconds => now.to_string(),
            Self::Milliseconds => (i128::from(now) * 1_000).to_string(),
            Self::Rfc3339 => rfc3339(now),
            Self::Rfc2822 => {
                DateTime::from_timestamp(now, 0).unwrap_or_default().format("%a, %d %b %Y %H:%M:%S GMT").to_string()
            }
        }
    }
}

/// A time (Unix seconds) as RFC 3339 in UTC.
pub(crate) fn rfc3339(now: i64) -> String {
    DateTime::from_timestamp(now, 0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn digits(text: &str) -> Option<i128> {
    let plain = (1..=19).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    // Nineteen digits fit: parsing 128 bits at once takes several times as long.
    plain.then(|| text.parse::<u64>().ok().map(i128::from))?
}

/// A version as a number: an integer as it is; a date (RFC 3339) or a decimal number of seconds as microseconds.
pub(crate) fn version(text: &str) -> Option<i64> {
    if let Ok(integer) = text.parse() {
        return Some(integer);
    }
    match text.split_once('.') {
        Some((seconds, fraction)) if digits(seconds).is_some() && digits(fraction).is_some() => {
            decimal(seconds, fraction)
        }
        _ => Some(DateTime::parse_from_rfc3339(text).ok()?.timestamp_micros()),
    }
}

fn decimal(seconds: &str, fraction: &str) -> Option<i64> {
    let micros: i64 = format!("{:0<6.6}", fraction).parse().ok()?;
    seconds.parse::<i64>().ok()?.checked_mul(1_000_000)?.checked_add(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerance_is_inclusive_on_both_sides() {
        let timestamp = Timestamp::seconds(Locate::Header("t"));
        assert_eq!(timestamp.check("1700000000", Clock::at(1_700_000_300)), Ok(()));
        assert_eq!(timestamp.check("1700000000", Clock::at(1_700_000_301)), Err(Reject::TimestampTooOld));
        assert_eq!(timestamp.check("1700000000", Clock::at(1_699_999_700)), Ok(()));
        assert_eq!(timestamp.check("1700000000", Clock::at(1_699_999_699)), Err(Reject::TimestampInFuture));
        assert_eq!(timestamp.check("9999999999999999999", Clock::at(i64::MIN)), Err(Reject::TimestampInFuture));
    }

    #[test]
    fn a_timestamp_is_plain_digits() {
        for text in ["", "-1", "+1", " 1", "1.5", "1e3", "0x1", "1700000000x", "١٧", "99999999999999999999"] {
            assert!(!Timestamp::seconds(Locate::Header("t")).parses(text), "{text:?}");
        }
    }

    #[test]
    fn versions_keep_integers_and_turn_dates_into_microseconds() {
        assert_eq!(version("1699999990"), Some(1_699_999_990));
        assert_eq!(version("-5"), Some(-5));
        assert_eq!(version("2023-11-14T22:13:20Z"), Some(1_700_000_000_000_000));
        assert_eq!(version("2023-11-14T17:13:20.123456789-05:00"), Some(1_700_000_000_123_456));
        assert_eq!(version("1700000000.000100"), Some(1_700_000_000_000_100));
        assert_eq!(version("1700000000.5"), Some(1_700_000_000_500_000));
        for text in ["", "yesterday", "99999999999999999999999", "1.", ".1", "99999999999999.5", "1.5e3"] {
            assert_eq!(version(text), None, "{text:?}");
        }
    }
}
