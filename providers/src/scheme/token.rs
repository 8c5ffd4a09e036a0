//! A secret the sender repeats in each request. Nothing is signed: whoever sees one request can send any.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use subtle::ConstantTimeEq;

use super::KeyForm;
use super::message::{at, text};
use crate::{Headers, Locate, Reject, Request, Secret, SignError, Unsigned, json};

/// A shared token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Where it is: a header, the query, a form field, or the JSON body, where it must be a string.
    pub at: Locate,
    /// What stands before it.
    pub prefix: &'static str,
    /// The array in the body whose every element must hold the token at [`Token::at`].
    pub in_each: Option<&'static str>,
}

impl Token {
    /// The token, as it is, at this place.
    pub const fn at(at: Locate) -> Self {
        Self { at, prefix: "", in_each: None }
    }

    /// With this text before it.
    pub const fn prefix(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    /// In every element of the array at this pointer.
    pub const fn in_each(self, array: &'static str) -> Self {
        Self { in_each: Some(array), ..self }
    }

    pub(super) fn check(&self, request: &Request<'_>, secrets: &[Secret]) -> Result<usize, Reject> {
        let tokens = self.tokens(request)?;
        let tokens: Vec<_> = tokens.iter().map(|token| token.strip_prefix(self.prefix)).collect();
        if tokens.is_empty() || tokens.contains(&None) {
            return Err(Reject::SignatureMissing);
        }
        let is = |secret: &Secret| {
            let all =
                |token: &Option<&str>| token.is_some_and(|token| bool::from(token.as_bytes().ct_eq(secret.bytes())));
            secret.verify_token().is_none() && tokens.iter().all(all)
        };
        secrets.iter().position(is).ok_or(Reject::SignatureMismatch)
    }

    fn tokens<'r>(&self, request: &Request<'r>) -> Result<Vec<Cow<'r, str>>, Reject> {
        let Locate::Json(pointer) = self.at else {
            return Ok(at(&self.at, request)?.into_iter().collect());
        };
        let elements = match self.in_each {
            None => vec![request.body],
            Some(array) => {
                let found = json::scan(request.body, &[array]).first().copied().flatten();
                let elements = found.and_then(json::elements).ok_or(Reject::SignatureMissing)?;
                elements.into_iter().map(str::as_bytes).collect()
            }
        };
        elements.into_iter().map(|element| string(element, pointer)).collect()
    }

    pub(super) fn sign(&self, unsigned: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
        if let Locate::Header(name) = self.at {
            return Ok([(name, [self.prefix.as_bytes(), secret.bytes()].concat())].into_iter().collect());
        }
        // The body or the URL holds it already, or it cannot be added with a header.
        let holds = self.check(&unsigned.request(), std::slice::from_ref(secret)).is_ok();
        if holds { Ok(Headers::new()) } else { Err(SignError::NotSignable) }
    }
}

/// The string at this pointer. A repeated key is refused: parsers disagree on which one counts.
fn string<'d>(document: &'d [u8], pointer: &str) -> Result<Cow<'d, str>, Reject> {
    let found = json::scan(document, &[pointer]).first().copied().flatten().ok_or(Reject::SignatureMissing)?;
    if !found.starts_with('"') || json::repeats(document, pointer) {
        return Err(Reject::SignatureMalformed);
    }
    json::scalar(found).filter(|text| !text.is_empty()).ok_or(Reject::SignatureMissing)
}

/// HTTP Basic: the secret is `user:password`.
pub(super) fn check_basic(request: &Request<'_>, secrets: &[Secret]) -> Result<usize, Reject> {
    let value = text(request.headers.single("authorization")?)?.ok_or(Reject::SignatureMissing)?;
    let (scheme, credentials) = value.split_once(' ').ok_or(Reject::SignatureMalformed)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(Reject::SignatureMissing);
    }
    let credentials = BASE64_STANDARD.decode(credentials).map_err(|_| Reject::SignatureMalformed)?;
    // Without a user or a password anybody could guess the credentials.
    let is = |secret: &Secret| KeyForm::Named.of(secret).is_ok() && bool::from(secret.bytes().ct_eq(&credentials));
    secrets.iter().position(is).ok_or(Reject::SignatureMismatch)
}

pub(super) fn sign_basic(secret: &Secret) -> Result<Headers, SignError> {
    KeyForm::Named.of(secret)?;
    let credentials = BASE64_STANDARD.encode(secret.bytes());
    Ok([("authorization", format!("Basic {credentials}"))].into_iter().collect())
}

/// Whether the request tries HTTP Basic.
pub(super) fn carries_basic(headers: &Headers) -> bool {
    headers.iter().any(|(name, value)| {
        name == "authorization" && value.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"basic "))
    })
}
