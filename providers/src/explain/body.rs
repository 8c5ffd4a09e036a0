//! What may have happened to the body on its way.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::finding::Finding;
use super::rewrite::{self, Style};
use super::trial::Trial;
use super::unpack;
use crate::form;

/// How the body that arrived differs from the one that was signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyChange {
    /// A line break was added at its end.
    NewlineAdded,
    /// A line break was taken from its end.
    NewlineRemoved,
    /// White space was added around it.
    WhiteSpaceAdded,
    /// Line breaks were changed.
    LineBreaks,
    /// A byte order mark was taken away, or added.
    ByteOrderMark,
    /// It was parsed and written again; it was signed in this style.
    Rewritten(Style),
    /// A form was decoded; it was signed as it was encoded.
    FormDecoded,
    /// A form was written again with another encoding of the same fields.
    FormRewritten,
    /// The document was taken out of its form field.
    TakenOutOfForm,
    /// It was percent-encoded on the way.
    PercentEncoded,
    /// It was compressed on the way, or is still; it was signed uncompressed.
    Compressed,
    /// It was converted from one character encoding to another.
    Charset,
    /// It was encoded in base64.
    Base64,
    /// It was wrapped in a JSON string.
    JsonString,
}

/// The first change that, undone, makes the signature right.
pub(super) fn changed(trial: &Trial<'_>) -> Option<Finding> {
    let body = trial.refused.request.body;
    let plain = plain(body).into_iter().chain(encoded(trial)).find(|(_, body)| trial.proves_body(body));
    let change = plain.map(|(change, _)| change).or_else(|| {
        let style = rewrite::styles(body, |body| trial.proves_body(body))?;
        Some(BodyChange::Rewritten(style))
    });
    let change = change.or_else(|| {
        unpack::unpacked(&trial.refused.request).filter(|body| trial.proves_body(body)).map(|_| BodyChange::Compressed)
    });
    change.map(Finding::Body)
}

/// White space, marks and character encodings.
fn plain(body: &[u8]) -> Vec<(BodyChange, Vec<u8>)> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let joined = |end: &[u8]| [body, end].concat();
    let mut signed = vec![
        (BodyChange::NewlineRemoved, joined(b"\n")),
        (BodyChange::NewlineRemoved, joined(b"\r\n")),
        (BodyChange::NewlineAdded, body.strip_suffix(b"\n").unwrap_or(body).to_vec()),
        (BodyChange::NewlineAdded, body.strip_suffix(b"\r\n").unwrap_or(body).to_vec()),
        (BodyChange::WhiteSpaceAdded, body.trim_ascii().to_vec()),
        (BodyChange::ByteOrderMark, [MARK, body].concat()),
        (BodyChange::ByteOrderMark, body.strip_prefix(MARK).unwrap_or(body).to_vec()),
    ];
    if let Ok(text) = std::str::from_utf8(body) {
        let unix = text.replace("\r\n", "\n");
        signed.push((BodyChange::LineBreaks, unix.replace('\n', "\r\n").into_bytes()));
        signed.push((BodyChange::LineBreaks, unix.into_bytes()));
        // What was read as Latin-1 and written as UTF-8.
        if let Some(bytes) = text.chars().map(|letter| u8::try_from(letter).ok()).collect() {
            signed.push((BodyChange::Charset, bytes));
        }
        if let Ok(inner) = serde_json::from_str::<String>(text) {
            signed.push((BodyChange::JsonString, inner.into_bytes()));
        }
        if let Ok(bytes) = BASE64_STANDARD.decode(text.trim()) {
            signed.push((BodyChange::Base64, bytes));
        }
    }
    signed.push((BodyChange::Charset, body.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes()));
    signed.retain(|(_, changed)| changed != body);
    signed
}

/// Forms and percent signs.
fn encoded(trial: &Trial<'_>) -> Vec<(BodyChange, Vec<u8>)> {
    let body = trial.refused.request.body;
    let encode = |text: &[u8]| form_urlencoded::byte_serialize(text).collect::<String>();
    let mut signed = Vec::new();
    if let Some(field) = trial.refused.provider.form_payload {
        signed.push((BodyChange::TakenOutOfForm, format!("{field}={}", encode(body)).into_bytes()));
    }
    let percents = body.contains(&b'%');
    if percents {
        let decoded = form_urlencoded::parse(&[b"=", body].concat()).next().map(|(_, text)| text.into_owned());
        signed.extend(decoded.map(|text| (BodyChange::PercentEncoded, text.into_bytes())));
    }
    if is_form(trial) {
        let again: String =
            form_urlencoded::Serializer::new(String::new()).extend_pairs(form_urlencoded::parse(body)).finish();
        let change = if percents { BodyChange::FormRewritten } else { BodyChange::FormDecoded };
        for text in [again.replace('+', "%20"), again] {
            signed.push((change, text.into_bytes()));
        }
        // Decoded, a single field may hold what looks like others.
        if let Some(equals) = body.iter().position(|byte| *byte == b'=') {
            let (name, value) = (String::from_utf8_lossy(&body[..equals]).into_owned(), encode(&body[equals + 1..]));
            signed.push((BodyChange::FormDecoded, format!("{name}={}", value.replace('+', "%20")).into_bytes()));
            signed.push((BodyChange::FormDecoded, format!("{name}={value}").into_bytes()));
        }
    }
    signed.retain(|(_, changed)| changed != body);
    signed
}

/// By its type, or because it can hardly be anything else.
fn is_form(trial: &Trial<'_>) -> bool {
    let request = trial.refused.request;
    let says_so = request.headers.iter().any(|(name, value)| name == "content-type" && form::is_form(value));
    says_so || (request.body.contains(&b'=') && !matches!(request.body.first(), Some(b'{' | b'[' | b'<' | b'"')))
}

impl fmt::Display for BodyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::NewlineAdded => "a line break was added at its end: pass it on without",
            Self::NewlineRemoved => "the line break at its end was removed: pass it on untrimmed",
            Self::WhiteSpaceAdded => "white space was added around it: pass it on as received",
            Self::LineBreaks => "its line breaks were converted: pass it on as binary data",
            Self::ByteOrderMark => "a byte order mark was added or removed: pass it on as binary data",
            Self::Rewritten(style) => {
                return write!(
                    f,
                    "the JSON was parsed and written again (the sender writes {style}): pass on the raw bytes, before any \
                     JSON middleware"
                );
            }
            Self::FormDecoded => "the form was decoded: pass on the raw bytes, before any form middleware",
            Self::FormRewritten => {
                "the form was parsed and written again: pass on the raw bytes, before any form middleware"
            }
            Self::TakenOutOfForm => "the JSON was taken out of its form field: pass on the whole form as received",
            Self::PercentEncoded => "it was percent-encoded: pass it on as received",
            Self::Compressed => {
                "it is compressed and the sender signed it uncompressed: switch compression off at the sender or decompress before verifying"
            }
            Self::Charset => "it was converted to another character encoding: pass it on as binary data",
            Self::Base64 => {
                "it was encoded in base64: decode it before it gets here (API gateways do this to binary bodies)"
            }
            Self::JsonString => "it was wrapped in a JSON string: pass it on as received",
        };
        f.write_str(text)
    }
}
