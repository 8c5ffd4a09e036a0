//! What is signed.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::key::Key;
use super::{Encoding, Hash};
use crate::view::one_pair;
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
    /// The hash of the body, as bytes.
    BodyDigest(Hash),
    /// The hash of the body in base64; nothing of an empty one.
    BodyHashIfAny(Hash),
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
    /// The JSON text at this pointer into the body, exactly as sent: neither re-serialised nor unescaped.
    RawJson(&'static str),
    /// The value of a header, which must be there once.
    Header(&'static str),
    /// The values of the headers that the key of a header of pairs names, separated by spaces there and by dots here.
    ValuesNamedIn(&'static str, &'static str),
    /// `name:value;name:value` of the headers that a header lists, sorted; the second names the one with the timestamp.
    HeadersListedIn(&'static str, &'static str),
    /// The method.
    Method,
    /// The public URL.
    Url,
    /// The public URL with these characters unescaped, and no others.
    UrlUnescaped(&'static str),
    /// Path and query of the public URL, the query escaped and then the whole once more, as Contentful does.
    TargetEscapedTwice,
    /// The public URL up to its query.
    UrlWithoutQuery,
    /// The path of the public URL.
    Path,
    /// The parameters of the query as they are, sorted.
    QuerySorted,
    /// The public URL with its query's parameters decoded and sorted, then those of the form, as Plivo does.
    UrlAndFormSorted,
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
) -> Result<SmallVec<[Cow<'m, [u8]>; 4]>, Reject> {
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
        Part::RawJson(pointer) => raw_json(request.body, pointer).map(Cow::Borrowed),
        Part::Header(name) => Ok(Cow::Borrowed(request.headers.single(name)?.ok_or(Reject::SignedHeaderMissing)?)),
        Part::ValuesNamedIn(header, key) => values_named_in(request, header, key).map(Cow::Owned),
        Part::HeadersListedIn(header, time) => listed_in(request, header, time, timestamp).map(Cow::Owned),
        Part::TargetEscapedTwice => Ok(Cow::Owned(escaped_twice(request.url).into_bytes())),
        Part::Method => borrowed(request.method),
        Part::Url => borrowed(request.url),
        Part::UrlUnescaped(characters) => Ok(Cow::Owned(unescaped(request.url, characters).into_bytes())),
        Part::UrlWithoutQuery => borrowed(request.url.split(['?', '#']).next().unwrap_or_default()),
        Part::BodyDigest(hash) => Ok(Cow::Owned(hash.digest(&[Cow::Borrowed(request.body)]).into_vec())),
        Part::BodyHashIfAny(_) if request.body.is_empty() => borrowed(""),
        Part::BodyHashIfAny(hash) => {
            Ok(Cow::Owned(Encoding::Base64.encode(&hash.digest(&[Cow::Borrowed(request.body)])).into_bytes()))
        }
        Part::Path => borrowed(target(request.url).split(['?', '#']).next().unwrap_or_default()),
        Part::QuerySorted => Ok(Cow::Owned(query_sorted(request.url).into_bytes())),
        Part::UrlAndFormSorted => Ok(Cow::Owned(super::plivo::url_and_form(request).into_bytes())),
        Part::Key => Ok(Cow::Borrowed(&key.bytes[..])),
        Part::KeyName => borrowed(key.name.as_deref().unwrap_or_default()),
    };
    parts.iter().map(part).collect()
}

/// The one text at a location of a request that is not known to be authentic yet. Empty counts as absent.
pub(crate) fn at<'r>(locate: &Locate, request: &Request<'r>) -> Result<Option<Cow<'r, str>>, Reject> {
    let found = match *locate {
        Locate::Header(name) => text(request.headers.single(name)?)?.map(Cow::Borrowed),
        Locate::Pair(name, key) => match text(request.headers.single(name)?)? {
            Some(pairs) => one_pair(pairs, key)?.map(Cow::Borrowed),
            None => None,
        },
        Locate::Form(name) if is_form(request.headers) => form::only_field(request.body, name)?,
        Locate::Query(name) => form::only_query(request.url, name)?,
        Locate::Json(pointer) | Locate::Root(pointer) if json::repeats(request.body, pointer) => {
            return Err(Reject::SignatureMalformed);
        }
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

/// A repeated key is refused: what was signed and what is read could be two different values.
fn raw_json<'r>(body: &'r [u8], pointer: &str) -> Result<&'r [u8], Reject> {
    let found = json::scan(body, &[pointer]).first().copied().flatten().ok_or(Reject::SignedHeaderMissing)?;
    if json::repeats(body, pointer) { Err(Reject::SignatureMalformed) } else { Ok(found.as_bytes()) }
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

/// A header that is named and not there is refused: signing nothing would let a sender leave it out.
fn values_named_in(request: &Request<'_>, header: &'static str, key: &'static str) -> Result<Vec<u8>, Reject> {
    let names = at(&Locate::Pair(header, key), request)?.ok_or(Reject::SignedHeaderMissing)?;
    let value = |name: &str| {
        request.headers.single(&name.to_ascii_lowercase())?.ok_or(Reject::SignedHeaderMissing).map(<[u8]>::to_vec)
    };
    let values = names.split(' ').take(MAX_NAMES).map(value).collect::<Result<Vec<_>, _>>()?;
    Ok(values.join(&b'.'))
}

fn listed_in(request: &Request<'_>, header: &str, time: &str, timestamp: &str) -> Result<Vec<u8>, Reject> {
    let listed = text(request.headers.single(header)?)?.ok_or(Reject::SignedHeaderMissing)?;
    let mut names: Vec<_> = listed.split(',').take(MAX_NAMES).map(|name| name.trim().to_ascii_lowercase()).collect();
    names.sort_unstable();
    let line = |name: &String| {
        let value = match request.headers.single(name)? {
            Some(value) => value,
            None if name == time => timestamp.as_bytes(),
            None => return Err(Reject::SignedHeaderMissing),
        };
        Ok([name.as_bytes(), b":", value.trim_ascii()].concat())
    };
    Ok(names.iter().map(line).collect::<Result<Vec<_>, _>>()?.join(&b';'))
}

/// The most headers a signature may name.
const MAX_NAMES: usize = 64;

/// Path and query.
fn target(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |index| &rest[index..])
}

fn query_sorted(url: &str) -> String {
    let query = url.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.sort_unstable();
    pairs.join("&")
}

fn escaped_twice(url: &str) -> String {
    let target = target(url);
    let escape = |text: &str, kept: &str| -> String {
        let byte = |byte: u8| match byte {
            byte if byte.is_ascii_alphanumeric() || kept.bytes().any(|kept| kept == byte) => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    };
    let once = match target.split_once('?') {
        Some((path, query)) => format!("{path}?{}", escape(query, "-_.!~*'()")),
        None => target.to_owned(),
    };
    escape(&once, "-_.!~*'();,/?:@&=+$#")
}
