//! `permanent` of a `[[forward]]`: the answers after which no retry is made.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The answers that end a job at once. Those that say "later" (408, 425, 429, 5xx) are never among them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Permanent(Vec<Statuses>);

/// One status, or all of a hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Statuses {
    One(u16),
    Class(u16),
}

impl Permanent {
    /// Whether no retry is made after this status.
    pub fn holds(&self, status: u16) -> bool {
        !says_later(status)
            && self.0.iter().any(|listed| match *listed {
                Statuses::One(one) => one == status,
                Statuses::Class(class) => class == status / 100,
            })
    }
}

/// The destination asks for another try: request timeout, too early, too many requests, and whatever failed on its side.
fn says_later(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..)
}

impl Statuses {
    fn one(status: u64) -> Result<Self, String> {
        match u16::try_from(status) {
            Ok(status) if (300..600).contains(&status) && !says_later(status) => Ok(Self::One(status)),
            Ok(200..300) => Err(format!("{status} is a success: nothing is retried after it anyway")),
            Ok(status @ 300..600) => {
                Err(format!("{status} asks for another try later, so it is always retried: leave it out"))
            }
            _ => Err(format!("{status} is no HTTP status that can end a job: use 300 to 499, or \"3xx\" and \"4xx\"")),
        }
    }
}

impl FromStr for Statuses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "3xx" => Ok(Self::Class(3)),
            "4xx" => Ok(Self::Class(4)),
            "5xx" => Err("\"5xx\" asks for another try later, so it is always retried: leave it out".to_owned()),
            _ => match text.parse() {
                Ok(status) => Self::one(status),
                Err(_) => Err(format!(
                    "`{}` is no HTTP status: write one such as 410, \"3xx\" or \"4xx\"",
                    text.escape_debug()
                )),
            },
        }
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(status) => write!(f, "{status}"),
            Self::Class(class) => write!(f, "{class}xx"),
        }
    }
}

impl Serialize for Statuses {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(status) => out.serialize_u16(*status),
            Self::Class(_) => out.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Statuses {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = Statuses;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an HTTP status such as 410, or \"4xx\"")
            }
            fn visit_i64<E: de::Error>(self, status: i64) -> Result<Statuses, E> {
                Statuses::one(status.unsigned_abs()).map_err(E::custom)
            }
            fn visit_u64<E: de::Error>(self, status: u64) -> Result<Statuses, E> {
                Statuses::one(status).map_err(E::custom)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Statuses, E> {
                text.parse().map_err(E::custom)
            }
        }
        input.deserialize_any(Written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(texts: &[&str]) -> Permanent {
        Permanent(texts.iter().map(|text| text.parse().unwrap_or_else(|why| panic!("{why}"))).collect())
    }

    #[test]
    fn a_class_holds_all_but_what_says_later() {
        let permanent = listed(&["4xx"]);
        for status in [400, 401, 404, 409, 410, 422, 499] {
            assert!(permanent.holds(status), "{status}");
        }
        for status in [302, 408, 425, 429, 500, 503, 599] {
            assert!(!permanent.holds(status), "{status}");
        }
        assert!(listed(&["410"]).holds(410) && !listed(&["410"]).holds(404) && !Permanent::default().holds(410));
    }

    #[test]
    fn what_is_always_retried_cannot_be_listed() {
        for text in ["429", "408", "425", "500", "503", "5xx", "200", "2xx", "100", "600", "99999999", "-1", "4XX", ""]
        {
            assert!(text.parse::<Statuses>().is_err(), "{text}");
        }
        assert!("429".parse::<Statuses>().is_err_and(|why| why.contains("always retried")));
    }
}
