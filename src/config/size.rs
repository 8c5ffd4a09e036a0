//! Sizes in bytes as people write them: `"512kB"`, `"25MB"`, `"1GB"`. As in Postgres, a kB is 1024 bytes.

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

const UNITS: [(&str, usize); 4] = [("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)];

/// Reads a whole number and a unit. The error says what would be right.
pub fn parse(text: &str) -> Result<usize, String> {
    let refused = || format!("`{text}` is not a size: write a whole number and B, kB, MB or GB, as in \"25MB\"");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, bytes) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim_start())).ok_or_else(refused)?;
    let number: usize = number.parse().map_err(|_| refused())?;
    number.checked_mul(*bytes).ok_or_else(refused)
}

/// Writes what [`parse`] reads.
pub fn show(bytes: usize) -> String {
    let (unit, size) =
        UNITS.iter().find(|(_, size)| bytes >= *size && bytes.is_multiple_of(*size)).unwrap_or(&("B", 1));
    format!("{}{unit}", bytes / size)
}

pub(super) fn serialize<S: Serializer>(bytes: &usize, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(&show(*bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<usize, D::Error> {
    struct Text;
    impl Visitor<'_> for Text {
        type Value = usize;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a size in quotes with its unit, as in \"25MB\"")
        }
        fn visit_str<E: de::Error>(self, text: &str) -> Result<usize, E> {
            parse(text).map_err(E::custom)
        }
    }
    input.deserialize_any(Text)
}

/// The same for a setting that may be left out.
pub(super) mod optional {
    use super::{Deserializer, Serializer, show};

    pub(in crate::config) fn serialize<S: Serializer>(bytes: &Option<usize>, out: S) -> Result<S::Ok, S::Error> {
        match bytes {
            Some(bytes) => out.serialize_some(&show(*bytes)),
            None => out.serialize_none(),
        }
    }

    pub(in crate::config) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Option<usize>, D::Error> {
        super::deserialize(input).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_printed_as_it_is_written() {
        for text in ["0B", "100B", "512kB", "25MB", "2GB", "1025B"] {
            assert_eq!(show(parse(text).unwrap()), text);
        }
        assert_eq!(parse("25 mb").unwrap(), 25 * 1024 * 1024);
    }

    #[test]
    fn a_size_without_a_unit_or_with_a_strange_one_is_refused() {
        for text in ["", "25", "MB", "25 acres", "-1MB", "1.5GB", "99999999999999GB"] {
            assert!(parse(text).unwrap_err().contains("as in \"25MB\""), "{text}");
        }
    }
}
