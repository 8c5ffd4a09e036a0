//! Where ids are, when a source says so itself.

use serde::Deserialize;

use crate::locate::{LocateError, Reason, refuse_as_dedup_key};
use crate::{Locate, Provider, intern};

/// One location, or several of which the first found counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    /// One.
    One(String),
    /// Several.
    More(Vec<String>),
}

/// What a source locates differently from its provider; each as [`Locate::parse`] reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overrides {
    /// The delivery id.
    pub delivery_id: Option<OneOrMore>,
    /// The event type.
    pub event_type: Option<OneOrMore>,
    /// The ordering key.
    pub ordering_key: Option<OneOrMore>,
    /// The version.
    pub version: Option<OneOrMore>,
}

/// A location that cannot be used; the message says what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideError {
    /// It cannot be read.
    #[error("`{field}`: {source}")]
    Unreadable {
        /// The setting.
        field: &'static str,
        /// Why.
        source: LocateError,
    },
    /// It would not tell duplicates.
    #[error("`delivery_id` cannot be {locate}: {reason}")]
    NotADedupKey {
        /// The location.
        locate: Locate,
        /// Why.
        reason: Reason,
    },
    /// An empty list.
    #[error("`{0}` is an empty list: name a location or leave it out")]
    Empty(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    DeliveryId,
    EventType,
    OrderingKey,
    Version,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Self::DeliveryId => "delivery_id",
            Self::EventType => "event_type",
            Self::OrderingKey => "ordering_key",
            Self::Version => "version",
        }
    }

    pub(crate) fn read(self, setting: Option<&OneOrMore>) -> Result<Option<&'static [Locate]>, OverrideError> {
        let texts = match setting {
            None => return Ok(None),
            Some(OneOrMore::One(text)) => std::slice::from_ref(text),
            Some(OneOrMore::More(texts)) if texts.is_empty() => {
                return Err(OverrideError::Empty(self.name()));
            }
            Some(OneOrMore::More(texts)) => texts,
        };
        let locators = texts.iter().map(|text| self.one(text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Some(intern::locations(&locators)))
    }

    fn one(self, text: &str) -> Result<Locate, OverrideError> {
        let locate = Locate::parse(text).map_err(|source| OverrideError::Unreadable { field: self.name(), source })?;
        match refuse_as_dedup_key(&locate) {
            Some(reason) if self == Self::DeliveryId => Err(OverrideError::NotADedupKey { locate, reason }),
            _ => Ok(locate),
        }
    }
}

impl Provider {
    /// This provider, with what a source locates differently.
    pub fn with(self, overrides: &Overrides) -> Result<Self, OverrideError> {
        let delivery_id = Field::DeliveryId.read(overrides.delivery_id.as_ref())?;
        Ok(Self {
            // Another id has its own meaning: what scoped the provider's does not apply to it.
            dedup_scope: if delivery_id.is_some() { &[] } else { self.dedup_scope },
            delivery_id: delivery_id.unwrap_or(self.delivery_id),
            event_type: Field::EventType.read(overrides.event_type.as_ref())?.unwrap_or(self.event_type),
            ordering_key: Field::OrderingKey.read(overrides.ordering_key.as_ref())?.unwrap_or(self.ordering_key),
            version: Field::Version.read(overrides.version.as_ref())?.unwrap_or(self.version),
            ..self
        })
    }
}
