//! The provider `hmac`: any sender that signs with an HMAC, described in configuration.

use serde::Deserialize;

use crate::locate::LocateError;
use crate::overrides::{Field, OneOrMore, OverrideError};
use crate::scheme::{Encoding, Hash, Part, Scheme, Signed, Timestamp, Unit};
use crate::{Coverage, Locate, Provider, intern, locate};

/// The longest tolerance that still means something.
const MAX_TOLERANCE_S: u32 = 86_400;

/// A sender that signs with an HMAC, as written in configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomHmac {
    /// The hash function.
    #[serde(default = "sha256")]
    pub algorithm: Hash,
    /// How the signature is written.
    #[serde(default = "hex")]
    pub encoding: Encoding,
    /// The header with the signature.
    pub header: String,
    /// The key of the signature, where the header holds `t=…,v1=…` pairs.
    #[serde(default)]
    pub pair: Option<String>,
    /// What stands before the signature, such as `sha256=`.
    #[serde(default)]
    pub prefix: String,
    /// What is signed, in order: `body`, `timestamp`, `id`, `method`, `url`, `header:NAME`, `literal:TEXT`, or punctuation as it is.
    #[serde(default = "body")]
    pub signs: Vec<String>,
    /// Where the time of sending is: `header:NAME` or `pair:KEY` (in the signature header).
    #[serde(default)]
    pub timestamp: Option<String>,
    /// How it is written.
    #[serde(default = "seconds")]
    pub timestamp_unit: Unit,
    /// How far it may be from our clock, in seconds.
    #[serde(default = "five_minutes")]
    pub tolerance_seconds: u32,
    /// Where the delivery id is.
    #[serde(default)]
    pub delivery_id: Option<OneOrMore>,
    /// Where the event type is.
    #[serde(default)]
    pub event_type: Option<OneOrMore>,
    /// Where the ordering key is.
    #[serde(default)]
    pub ordering_key: Option<OneOrMore>,
    /// Where the version is.
    #[serde(default)]
    pub version: Option<OneOrMore>,
}

fn sha256() -> Hash {
    Hash::Sha256
}
fn hex() -> Encoding {
    Encoding::Hex
}
fn body() -> Vec<String> {
    vec!["body".into()]
}
fn seconds() -> Unit {
    Unit::Seconds
}
fn five_minutes() -> u32 {
    300
}

/// A description that makes no sense; the message says what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CustomError {
    /// The signature header is none.
    #[error("`header`: {0}")]
    Header(LocateError),
    /// The body is not signed.
    #[error("`signs` does not name \"body\": the signature would fit any body")]
    BodyNotSigned,
    /// The timestamp is signed but not located.
    #[error(
        "`signs` names \"timestamp\", but `timestamp` does not say where it is: add timestamp = \"header:NAME\" or \"pair:KEY\""
    )]
    TimestampNotLocated,
    /// The timestamp is located but not signed.
    #[error(
        "`timestamp` is set, but `signs` does not name \"timestamp\": anybody could put a fresh time on an old request"
    )]
    TimestampNotSigned,
    /// The timestamp's place cannot be read.
    #[error("`timestamp` is {0:?}: write \"header:NAME\" or, for a key in the signature header, \"pair:KEY\"")]
    TimestampPlace(String),
    /// A key in the signature header, which has no keys.
    #[error(
        "`timestamp` is a key in the signature header, but `pair` does not say under which key the signature is: add pair = \"v1\" or the like"
    )]
    TimestampWithoutPair,
    /// A tolerance of nothing or of more than a day.
    #[error("`tolerance_seconds` is {0}: it must be between 1 and 86400")]
    Tolerance(u32),
    /// The id is signed but not in a header.
    #[error("`signs` names \"id\", so `delivery_id` must say which header it is in: delivery_id = \"header:NAME\"")]
    IdNotInHeader,
    /// A word that is no part.
    #[error(
        "`signs` holds {0:?}, which is none of body, timestamp, id, method, url, header:NAME: write \"literal:{0}\" if it is signed as it stands"
    )]
    UnknownPart(String),
    /// A signed header that is none.
    #[error("`signs`: {0}")]
    SignedHeader(LocateError),
    /// A location that cannot be used.
    #[error(transparent)]
    Field(#[from] OverrideError),
}

/// The provider that a description describes. Its name is `hmac`.
///
/// The texts in it are kept for the life of the process, once each.
pub fn custom(description: &CustomHmac) -> Result<Provider, CustomError> {
    let delivery_id = Field::DeliveryId.read(description.delivery_id.as_ref())?.unwrap_or_default();
    let signs = parts(description, delivery_id)?;
    let header = locate::header_name(&description.header).map_err(CustomError::Header)?;
    let has = |part| signs.contains(&part);
    if !has(Part::Body) {
        return Err(CustomError::BodyNotSigned);
    }
    let timestamp = timestamp(description, header, has(Part::Timestamp))?;
    let signature = match &description.pair {
        Some(key) => Locate::Pair(header, intern::text(key)),
        None => Locate::Header(header),
    };
    let signed = Signed { timestamp, ..Signed::hex(signature) }
        .hash(description.algorithm)
        .encoding(description.encoding)
        .prefix(intern::text(&description.prefix))
        .signs(signs);
    let event_type = Field::EventType.read(description.event_type.as_ref())?.unwrap_or_default();
    Ok(Provider {
        name: "hmac",
        title: "HMAC",
        docs: "",
        scheme: Scheme::Signed(signed),
        delivery_id,
        event_type,
        ordering_key: Field::OrderingKey.read(description.ordering_key.as_ref())?.unwrap_or_default(),
        version: Field::Version.read(description.version.as_ref())?.unwrap_or_default(),
        covers: Coverage {
            body: true,
            id: covered(delivery_id, signs),
            event_type: covered(event_type, signs),
            time: timestamp.is_some(),
        },
        ..Provider::DEFAULT
    })
}

fn parts(description: &CustomHmac, delivery_id: &[Locate]) -> Result<&'static [Part], CustomError> {
    let part = |text: &String| {
        Ok(match text.as_str() {
            "body" => Part::Body,
            "timestamp" => Part::Timestamp,
            "method" => Part::Method,
            "url" => Part::Url,
            "id" => match delivery_id {
                [Locate::Header(name)] => Part::Header(name),
                _ => return Err(CustomError::IdNotInHeader),
            },
            text => match text.split_once(':') {
                Some(("header", name)) => Part::Header(locate::header_name(name).map_err(CustomError::SignedHeader)?),
                Some(("literal", text)) => Part::Lit(intern::text(text)),
                // A misspelt "timestamp" must not become text that is signed as it stands.
                _ if text.chars().any(char::is_alphabetic) => {
                    return Err(CustomError::UnknownPart(text.into()));
                }
                _ => Part::Lit(intern::text(text)),
            },
        })
    };
    Ok(intern::parts(&description.signs.iter().map(part).collect::<Result<Vec<_>, _>>()?))
}

fn timestamp(description: &CustomHmac, header: &'static str, signed: bool) -> Result<Option<Timestamp>, CustomError> {
    let Some(place) = &description.timestamp else {
        return if signed { Err(CustomError::TimestampNotLocated) } else { Ok(None) };
    };
    if !signed {
        return Err(CustomError::TimestampNotSigned);
    }
    if !(1..=MAX_TOLERANCE_S).contains(&description.tolerance_seconds) {
        return Err(CustomError::Tolerance(description.tolerance_seconds));
    }
    let at = match place.split_once(':') {
        Some(("pair", key)) if !key.is_empty() => match description.pair {
            Some(_) => Locate::Pair(header, intern::text(key)),
            None => return Err(CustomError::TimestampWithoutPair),
        },
        Some(("header", name)) => {
            Locate::Header(locate::header_name(name).map_err(|_| CustomError::TimestampPlace(place.clone()))?)
        }
        _ => return Err(CustomError::TimestampPlace(place.clone())),
    };
    Ok(Some(Timestamp { at, unit: description.timestamp_unit, tolerance_s: description.tolerance_seconds, ahead_s: 0 }))
}

/// Whether every place a value may come from is signed.
fn covered(locators: &[Locate], signs: &[Part]) -> bool {
    let signed = |locate: &Locate| match *locate {
        Locate::Header(name) => signs.contains(&Part::Header(name)),
        Locate::Query(_) => signs.contains(&Part::Url),
        Locate::Json(_) | Locate::Root(_) | Locate::Form(_) => true,
        _ => false,
    };
    locators.iter().all(signed)
}
