//! Rates as people write them: `"100/s"`, `"600/m"`, `"1000/h"`.

use std::time::Duration;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

const UNITS: [(&str, u64); 3] = [("s", 1), ("m", 60), ("h", 3600)];

/// How many jobs may start in how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many.
    pub jobs: u32,
    /// In how long.
    pub per: Duration,
}

impl Rate {
    /// Reads a whole number, a slash and s, m or h. The error says what would be right.
    pub fn parse(text: &str) -> Result<Self, String> {
        let refused =
            || format!("`{text}` is not a rate: write a whole number, a slash and s, m or h, as in \"100/s\"");
        let (jobs, unit) = text.split_once('/').ok_or_else(refused)?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit.trim()).ok_or_else(refused)?;
        let jobs = jobs.trim_end();
        if jobs.is_empty() || !jobs.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refused());
        }
        Ok(Self { jobs: jobs.parse().map_err(|_| refused())?, per: Duration::from_secs(*seconds) })
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let unit = UNITS.iter().find(|(_, seconds)| self.per.as_secs() == *seconds).map_or("s", |(unit, _)| unit);
        out.serialize_str(&format!("{}/{unit}", self.jobs))
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Rate;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a rate in quotes with its unit, as in \"100/s\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Rate, E> {
                Rate::parse(text).map_err(E::custom)
            }
        }
        input.deserialize_any(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_printed_as_it_is_written() {
        for text in ["100/s", "600/m", "1000/h"] {
            assert_eq!(serde_json::to_value(Rate::parse(text).unwrap()).unwrap(), text);
        }
        assert_eq!(Rate::parse("2 / m").unwrap(), Rate { jobs: 2, per: Duration::from_secs(60) });
    }

    #[test]
    fn a_rate_without_a_unit_or_with_a_strange_one_is_refused() {
        for text in ["", "100", "/s", "100/", "100/d", "-1/s", "1.5/s", "+1/s", "99999999999/s", "100/ſ"] {
            assert!(Rate::parse(text).unwrap_err().contains("as in \"100/s\""), "{text}");
        }
    }
}
