//! Durations as people write them: `"2500ms"`, `"30s"`, `"15m"`, `"1h"`, `"30d"`.

use std::time::Duration;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

/// Longest first, so that printing picks the largest unit that divides evenly.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Reads a whole number and a unit. The error says what would be right.
pub fn parse(text: &str) -> Result<Duration, String> {
    let refused = || format!("`{text}` is not a duration: write a whole number and ms, s, m, h or d, as in \"30s\"");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, millis) = UNITS.iter().find(|(name, _)| *name == unit.trim_start()).ok_or_else(refused)?;
    let number: u64 = number.parse().map_err(|_| refused())?;
    number.checked_mul(*millis).map(Duration::from_millis).ok_or_else(refused)
}

/// Writes what [`parse`] reads, to the millisecond.
pub fn show(duration: Duration) -> String {
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (unit, size) =
        UNITS.iter().find(|(_, size)| millis >= *size && millis.is_multiple_of(*size)).unwrap_or(&("s", 1_000));
    format!("{}{unit}", millis / size)
}

pub(super) fn serialize<S: Serializer>(duration: &Duration, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&show(*duration))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = Duration;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a duration in quotes with its unit, as in \"30s\"")
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<Duration, E> {
            parse(text).map_err(E::custom)
        }
    }
    input.deserialize_any(Text)
}

/// The same for a setting that may be left out.
pub(super) mod optional {
    use super::{Deserializer, Duration, Serializer, show};

    pub(in crate::config) fn serialize<S: Serializer>(duration: &Option<Duration>, out: S) -> Result<S::Ok, S::Error> {
        match duration {
            Some(duration) => out.serialize_some(&show(*duration)),
            None => out.serialize_none(),
        }
    }

    pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Duration>, D::Error> {
        super::deserialize(input).map(Some)
    }
}

/// The same for a list of them.
pub(super) mod list {
    use serde::Deserialize;

    use super::{Deserializer, Duration, Serializer, show};

    #[derive(Deserialize)]
    struct One(#[serde(deserialize_with = "super::deserialize")] Duration);

    pub(in crate::config) fn serialize<S: Serializer>(durations: &[Duration], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(durations.iter().map(|duration| show(*duration)))
    }

    pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<Duration>, D::Error> {
        Ok(Vec::<One>::deserialize(input)?.into_iter().map(|one| one.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_printed_as_it_is_written() {
        for text in ["2500ms", "30s", "15m", "1h", "30d", "90s", "0s"] {
            assert_eq!(show(parse(text).unwrap()), text);
        }
        assert_eq!(show(parse("60s").unwrap()), "1m");
    }

    #[test]
    fn a_duration_without_a_unit_or_with_a_strange_one_is_refused() {
        for text in ["", "30", "s", "30 parsecs", "-1s", "1.5h", "99999999999999999999d", "30ſ"] {
            assert!(parse(text).unwrap_err().contains("as in \"30s\""), "{text}");
        }
    }
}
