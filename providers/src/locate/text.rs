//! Locations as people write them.

use std::fmt;

use super::Locate;
use crate::intern;

const PLUS: &str = " + ";

/// A location that cannot be read; the message says what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// No known kind before the colon.
    #[error("{0:?} does not say where the value is: write header:NAME, json:/pointer, form:FIELD or query:NAME")]
    UnknownKind(String),
    /// Nothing after the colon.
    #[error("{0:?} names nothing: write what to read after the colon")]
    NoName(String),
    /// A JSON pointer without its leading slash.
    #[error("{0:?} is not a JSON pointer: it starts with a slash, as in json:/data/id")]
    NotAPointer(String),
    /// A header name with a character no header name has.
    #[error("{0:?} is not a header name: letters, digits and dashes only")]
    NotAHeader(String),
}

pub(super) fn parse(text: &str) -> Result<Locate, LocateError> {
    let parts = text.split(PLUS).map(|part| one(part.trim())).collect::<Result<Vec<_>, _>>()?;
    Ok(match parts[..] {
        [only] => only,
        _ => Locate::Join("|", intern::locations(&parts)),
    })
}

fn one(text: &str) -> Result<Locate, LocateError> {
    let (kind, name) = text.split_once(':').ok_or_else(|| LocateError::UnknownKind(text.into()))?;
    let name = name.trim();
    if name.is_empty() {
        return Err(LocateError::NoName(text.into()));
    }
    match kind.trim() {
        "header" => header(name).map(Locate::Header),
        "json" if !name.starts_with('/') => Err(LocateError::NotAPointer(text.into())),
        "json" => Ok(Locate::Json(intern::text(name))),
        "form" => Ok(Locate::Form(intern::text(name))),
        "query" => Ok(Locate::Query(intern::text(name))),
        _ => Err(LocateError::UnknownKind(text.into())),
    }
}

/// A header name in lower case, or why it is none.
pub(crate) fn header(name: &str) -> Result<&'static str, LocateError> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || !name.bytes().all(token) {
        return Err(LocateError::NotAHeader(name.into()));
    }
    Ok(intern::text(&name.to_ascii_lowercase()))
}

impl fmt::Display for Locate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header(name) => write!(f, "header:{name}"),
            Self::Family(name) => write!(f, "header:…{name}"),
            Self::Pair(header, key) => write!(f, "header:{header}[{key}]"),
            Self::Json(pointer) => write!(f, "json:{pointer}"),
            Self::Root(pointer) => write!(f, "document:{pointer}"),
            Self::Form(field) => write!(f, "form:{field}"),
            Self::Query(name) => write!(f, "query:{name}"),
            Self::IfPresent(pointer, text) => write!(f, "{text:?} if json:{pointer}"),
            Self::Lit(text) => write!(f, "{text:?}"),
            Self::Join(_, parts) => {
                for (index, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if index == 0 { "" } else { PLUS })?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_shown() {
        for text in ["header:x-event-id", "json:/data/id", "form:id", "query:token", "json:/account + header:x-topic"] {
            assert_eq!(parse(text).map(|locate| locate.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write_instead() {
        assert!(matches!(parse("x-event-id"), Err(LocateError::UnknownKind(_))));
        assert!(matches!(parse("cookie:a"), Err(LocateError::UnknownKind(_))));
        assert!(matches!(parse("header: "), Err(LocateError::NoName(_))));
        assert!(matches!(parse("json:id"), Err(LocateError::NotAPointer(_))));
        assert!(matches!(parse("header:x event"), Err(LocateError::NotAHeader(_))));
        assert!(matches!(parse("json:/a + "), Err(LocateError::UnknownKind(_))));
    }
}
