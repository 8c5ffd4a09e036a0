//! Query parameters: each known one once, any other refused by name.

use std::str::FromStr;

use axum::extract::Query;
use chrono::{DateTime, Utc};
use http::Uri;
use uuid::Uuid;

use super::error::ApiError;

/// How many rows a page has unless the client says so, and at most.
const PAGE: i64 = 50;
const LONGEST_PAGE: i64 = 200;

pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// The parameters of the request, if all are among `known`.
    pub(super) fn of(uri: &Uri, known: &[&str]) -> Result<Self, ApiError> {
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|_| ApiError::Invalid("the query string is not of the form name=value&…".to_owned()))?;
        for (n, (name, _)) in pairs.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                return Err(ApiError::Invalid(format!(
                    "the query parameter '{}' is unknown here; {}",
                    name.escape_debug(),
                    if known.is_empty() {
                        "there are none".to_owned()
                    } else {
                        format!("known are: {}", known.join(", "))
                    },
                )));
            }
            if pairs[..n].iter().any(|(earlier, _)| earlier == name) {
                return Err(ApiError::Invalid(format!("the query parameter '{name}' is given twice")));
            }
        }
        Ok(Self(pairs))
    }

    /// The value; an empty one counts as not given.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(n, value)| n == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn limit(&self) -> Result<i64, ApiError> {
        let Some(text) = self.get("limit") else {
            return Ok(PAGE);
        };
        match i64::from_str(text) {
            Ok(limit) if (1..=LONGEST_PAGE).contains(&limit) => Ok(limit),
            _ => Err(ApiError::Invalid(format!("limit must be a whole number from 1 to {LONGEST_PAGE}"))),
        }
    }

    /// One of these words.
    pub(super) fn word(&self, name: &str, words: &[&'static str]) -> Result<Option<&'static str>, ApiError> {
        let Some(given) = self.get(name) else {
            return Ok(None);
        };
        match words.iter().find(|word| **word == given) {
            Some(word) => Ok(Some(word)),
            None => Err(ApiError::Invalid(format!("{name} must be one of: {}", words.join(", ")))),
        }
    }

    /// A bound of a range of ids: a UUIDv7 stands for itself, a time for the first id of its millisecond.
    pub(super) fn bound(&self, name: &str) -> Result<Option<Uuid>, ApiError> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        if let Ok(id) = Uuid::from_str(text) {
            return Ok(Some(id));
        }
        // In a query string '+' is a space: an offset written unescaped still means what it says.
        let moment = DateTime::parse_from_rfc3339(&text.replace(' ', "+")).map_err(|_| {
            ApiError::Invalid(format!(
                "{name} must be a time such as 2026-01-31T12:00:00Z (RFC 3339, with an offset) or a delivery id"
            ))
        })?;
        Ok(Some(first_id(moment.to_utc())))
    }
}

/// The first id of a moment's millisecond. Ids begin with 48 bits of milliseconds since 1970.
fn first_id(moment: DateTime<Utc>) -> Uuid {
    let ms = moment.timestamp_millis().clamp(0, (1 << 48) - 1);
    Uuid::from_u128((ms as u128) << 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str, known: &[&str]) -> Result<Parameters, String> {
        let uri = format!("/x?{query}").parse().unwrap();
        Parameters::of(&uri, known).map_err(|e| e.to_string())
    }

    #[test]
    fn an_unknown_parameter_is_named_with_the_known_ones() {
        let error = of("sate=dead", &["state", "limit"]).err().unwrap();
        assert!(error.contains("'sate'") && error.contains("state, limit"), "{error}");
        assert!(of("limit=1&limit=2", &["limit"]).is_err(), "which one counts would be a guess");
    }

    #[test]
    fn a_page_has_a_longest_length() {
        let limit = |query| of(query, &["limit"]).unwrap().limit();
        assert_eq!(limit("").unwrap(), 50);
        assert_eq!(limit("limit=200").unwrap(), 200);
        for bad in ["limit=201", "limit=0", "limit=-1", "limit=x"] {
            assert!(limit(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_bounds_the_ids_of_its_millisecond() {
        let bound = |query| of(query, &["after"]).unwrap().bound("after").ok().flatten();
        let id = bound("after=2026-11-30T00:00:00%2B00:00").unwrap();
        assert_eq!(id.as_u128() >> 80, 1_795_996_800_000);
        assert_eq!(bound("after=2026-11-30T01:00:00+01:00"), Some(id), "an unescaped offset");
        assert_eq!(bound("after=2026-11-30"), None, "a day without its offset is ambiguous");
        assert_eq!(bound(&format!("after={id}")), Some(id));
    }
}
