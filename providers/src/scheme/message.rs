//! What is signed.

use std::borrow::Cow;

use super::key::Key;
use super::{Encoding, Hash};
use crate::{Headers, Locate, Reject, Request, form, json};

/// A part of what is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The timestamp, as written in the request.
    Timestamp,
    /// The body, as received.
    Body,
    /// The hash of the body, as text.
    BodyHash(Hash, Encoding),
    /// The first element of the JSON array that is the body; the body, if it is none.
    FirstElement,
    /// The form field of this name, decoded, where the body is a form; the query parameter of a request without body;
    /// otherwise the body.
    Document(&'static str),
    /// Name and value of every form field but this one, decoded, sorted by name and value, duplicates once.
    FormPairs(&'static str),
    /// Every form field but this one, decoded and sorted by name, as PHP's `serialize` writes an array of texts.
    FormAsPhp(&'static str),
    /// This text.
    Lit(&'static str),
    /// The value at a location, which must be there once.
    At(Locate),
    /// The value of a header, which must be there once.
    Header(&'static str),
    /// The method.
    Method,
    /// The public URL.
    Url,
    /// The public URL with these characters unescaped, and no others.
    UrlUnescaped(&'static str),
    /// The public URL up to its query.
    UrlWithoutQuery,
    /// The key itself, in plain hashes.
    Key,
    /// The name of the key, see [`super::KeyForm::Named`].
    KeyName,
}

/// The signed text as slices, so that a large body is not copied.
pub(crate) fn message<'m>(
    parts: &'m [Part],
    request: &Request<'m>,
    timestamp: &'m str,
    key: &'m Key,
) -> Result<Vec<Cow<'m, [u8]>>, Reject> {
    let borrowed = |text: &'m str| Ok(Cow::Borrowed(text.as_bytes()));
    let part = |part: &'m Part| match part {
        Part::Timestamp => borrowed(timestamp),
        Part::Body => Ok(Cow::Borrowed(request.body)),
        Part::BodyHash(hash, encoding) => {
            Ok(Cow::Owned(encoding.encode(&hash.digest(&[Cow::Borrowed(request.body)])).into_bytes()))
        }
        Part::FirstElement => first_element(request.body).map(Cow::Borrowed),
        Part::Document(field) => document(request, field),
        Part::FormPairs(except) => Ok(Cow::Owned(form_pairs(request, except))),
        Part::FormAsPhp(except) => Ok(Cow::Owned(form_as_php(request, except))),
        Part::Lit(text) => borrowed(text),
        Part::At(locate) => match at(locate, request)? {
            Some(Cow::Borrowed(text)) => borrowed(text),
            Some(Cow::Owned(text)) => Ok(Cow::Owned(text.into_bytes())),
            None => Err(Reject::SignedHeaderMissing),
        },
        Part::Header(name) => Ok(Cow::Borrowed(request.headers.single(name)?.ok_or(Reject::SignedHeaderMissing)?)),
        Part::Method => borrowed(request.method),
        Part::Url => borrowed(request.url),
        Part::UrlUnescaped(characters) => Ok(Cow::Owned(unescaped(request.url, characters).into_bytes())),
        Part::UrlWithoutQuery => borrowed(request.url.split(['?', '#']).next().unwrap_or_default()),
        Part::Key => Ok(Cow::Borrowed(&key.bytes[..])),
        Part::KeyName => borrowed(key.name.as_deref().unwrap_or_default()),
    };
    parts.iter().map(part).collect()
}

/// The one text at a location of a request that is not known to be authentic yet. Empty counts as absent.
pub(crate) fn at<'r>(locate: &Locate, request: &Request<'r>) -> Result<Option<Cow<'r, str>>, Reject> {
    let found = match *locate {
        Locate::Header(name) => text(request.headers.single(name)?)?.map(Cow::Borrowed),
        Locate::Form(name) if is_form(request.headers) => form::only_field(request.body, name)?,
        Locate::Query(name) => form::only_query(request.url, name)?,
        Locate::Json(pointer) | Locate::Root(pointer) => {
            let found = json::scan(request.body, &[pointer]);
            found.first().copied().flatten().and_then(json::scalar)
        }
        _ => None,
    };
    Ok(found.filter(|text| !text.is_empty()))
}

pub(crate) fn is_form(headers: &Headers) -> bool {
    headers.iter().any(|(name, value)| name == "content-type" && form::is_form(value))
}

/// A header's text; an empty one is as good as none.
pub(crate) fn text(value: Option<&[u8]>) -> Result<Option<&str>, Reject> {
    match value {
        None | Some(b"") => Ok(None),
        Some(value) => std::str::from_utf8(value).map(Some).map_err(|_| Reject::SignatureMalformed),
    }
}

fn first_element(body: &[u8]) -> Result<&[u8], Reject> {
    let Ok(text) = std::str::from_utf8(body) else { return Ok(body) };
    match json::elements(text) {
        Some(elements) => elements.first().map(|element| element.as_bytes()).ok_or(Reject::EmptyBody),
        None => Ok(body),
    }
}

fn document<'r>(request: &Request<'r>, field: &str) -> Result<Cow<'r, [u8]>, Reject> {
    let found = if is_form(request.headers) {
        form::only_field(request.body, field)?
    } else if request.method == "GET" {
        form::only_query(request.url, field)?
    } else {
        return Ok(Cow::Borrowed(request.body));
    };
    Ok(match found.ok_or(Reject::SignedHeaderMissing)? {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    })
}

fn form_pairs(request: &Request<'_>, except: &str) -> Vec<u8> {
    if !is_form(request.headers) {
        return Vec::new();
    }
    let mut pairs: Vec<_> = form_urlencoded::parse(request.body).filter(|(name, _)| name != except).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().flat_map(|(name, value)| [name, value]).flat_map(|text| text.into_owned().into_bytes()).collect()
}

fn unescaped(url: &str, characters: &str) -> String {
    characters.bytes().fold(url.to_owned(), |url, byte| {
        let plain = char::from(byte).to_string();
        url.replace(&format!("%{byte:02X}"), &plain).replace(&format!("%{byte:02x}"), &plain)
    })
}

fn form_as_php(request: &Request<'_>, except: &str) -> Vec<u8> {
    let mut fields: Vec<_> = form_urlencoded::parse(request.body).filter(|(name, _)| name != except).collect();
    fields.sort_unstable();
    let text = |text: &str| format!("s:{}:\"{text}\";", text.len());
    let items: String = fields.iter().map(|(name, value)| text(name) + &text(value)).collect();
    format!("a:{}:{{{items}}}", fields.len()).into_bytes()
}
