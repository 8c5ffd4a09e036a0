//! Where a value is, as a handler says it: one location or several, kept as written.

use hookgate_providers::{Locate, OneOrMore};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::provider::listed;

/// More would be a search, not a location.
pub(crate) const MOST: usize = 8;

pub(super) fn serialize<S: Serializer>(places: &Option<Vec<String>>, out: S) -> Result<S::Ok, S::Error> {
    places.serialize(out)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    Ok(listed(Option::<OneOrMore>::deserialize(from)?.as_ref()))
}

/// Says what is wrong with locations, if anything is.
pub(crate) fn check(places: &[String]) -> Result<(), String> {
    if places.is_empty() {
        return Err("is an empty list: name a location or leave it out".to_owned());
    }
    if places.len() > MOST {
        return Err(format!("names {} locations, and at most {MOST} are looked at", places.len()));
    }
    places
        .iter()
        .try_for_each(|place| Locate::parse(place).map(drop).map_err(|error| format!("cannot be read: {error}")))
}
