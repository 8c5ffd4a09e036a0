//! An HMAC over parts of the request: most providers.

use ::hmac::{Hmac as Mac, KeyInit};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use sha1::Sha1;
use sha2::{Sha256, Sha384, Sha512};
use subtle::ConstantTimeEq;

use super::{MAX_SIGNATURES, Timestamp};
use crate::view::{family_header, one_pair, pairs};
use crate::{Headers, Locate, Reject, Request, Secret, SignError, Unsigned};

/// An HMAC over parts of the request, keyed with the secret's bytes as the provider shows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hmac {
    /// The hash function.
    pub hash: Hash,
    /// How the signature is written.
    pub encoding: Encoding,
    /// The header, or the key in a header of pairs, with the signature. Pairs may list several.
    pub signature: Locate,
    /// What stands before the signature.
    pub prefix: &'static str,
    /// What is signed, in order.
    pub signs: &'static [Part],
    /// The time of sending, where it is signed.
    pub timestamp: Option<Timestamp>,
    /// Whether the provider sends requests without a body.
    pub empty_body: EmptyBody,
}

/// The hash function of an HMAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    /// Lower-case hex.
    Hex,
    /// Base64, standard alphabet, padded.
    Base64,
    /// Base64, URL alphabet, padded or not.
    Base64Url,
}

/// A part of what is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The timestamp, as written in the request.
    Timestamp,
    /// The body, as received.
    Body,
    /// This text.
    Lit(&'static str),
    /// The value of a header, which must be there once.
    Header(&'static str),
    /// The method.
    Method,
    /// The public URL.
    Url,
}

/// Whether a request without a body can be real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyBody {
    /// It can.
    Accepted,
    /// The provider always sends one, and its own library refuses an empty one.
    Refused,
}

impl Hmac {
    /// HMAC-SHA256 of the body in lower-case hex.
    pub const fn sha256_hex(signature: Locate) -> Self {
        Self {
            hash: Hash::Sha256,
            encoding: Encoding::Hex,
            signature,
            prefix: "",
            signs: &[Part::Body],
            timestamp: None,
            empty_body: EmptyBody::Accepted,
        }
    }

    /// HMAC-SHA256 of the body in base64.
    pub const fn sha256_base64(signature: Locate) -> Self {
        Self { encoding: Encoding::Base64, ..Self::sha256_hex(signature) }
    }

    /// With this text before the signature.
    pub const fn prefix(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    /// Over these parts.
    pub const fn signs(self, signs: &'static [Part]) -> Self {
        Self { signs, ..self }
    }

    /// With this time of sending.
    pub const fn timestamp(self, timestamp: Timestamp) -> Self {
        Self { timestamp: Some(timestamp), ..self }
    }

    /// From a provider that never sends an empty body.
    pub const fn refuse_empty_body(self) -> Self {
        Self { empty_body: EmptyBody::Refused, ..self }
    }

    pub(super) fn check(
        &self,
        request: &Request<'_>,
        family: &str,
        secrets: &[Secret],
        now: i64,
    ) -> Result<usize, Reject> {
        let signatures = self.signatures(request.headers, family)?;
        if self.empty_body == EmptyBody::Refused && request.body.is_empty() {
            return Err(Reject::EmptyBody);
        }
        let timestamp = self.timestamp_text(request.headers)?;
        let message = self.message(request, timestamp.unwrap_or_default())?;
        let matches = |secret: &Secret| {
            let expected = self.hash.mac(secret, &message);
            signatures.iter().any(|signature| bool::from(signature.ct_eq(&expected)))
        };
        let secret = secrets.iter().position(matches).ok_or(Reject::SignatureMismatch)?;
        match (self.timestamp, timestamp) {
            (Some(timestamp), Some(text)) => timestamp.check(text, now).map(|()| secret),
            _ => Ok(secret),
        }
    }

    /// The listed signatures, decoded. Those that do not decode are passed over if another does: lists grow new forms.
    fn signatures(&self, headers: &Headers, family: &str) -> Result<Vec<Vec<u8>>, Reject> {
        let (header, key) = match self.signature {
            Locate::Header(name) => (headers.single(name)?, None),
            Locate::Family(name) => (family_header(headers, family, name)?, None),
            Locate::Pair(name, key) => (headers.single(name)?, Some(key)),
            _ => return Err(Reject::SignatureMissing),
        };
        let text = text(header).map_err(|()| Reject::SignatureMalformed)?.ok_or(Reject::SignatureMissing)?;
        let listed: Vec<&str> = match key {
            Some(key) => pairs(text, key).take(MAX_SIGNATURES + 1).collect(),
            None => vec![text],
        };
        if listed.is_empty() {
            return Err(Reject::SignatureMissing);
        }
        if listed.len() > MAX_SIGNATURES {
            return Err(Reject::TooManySignatures);
        }
        let decode = |text: &str| self.encoding.decode(text.strip_prefix(self.prefix)?);
        let signatures: Vec<_> = listed.into_iter().filter_map(decode).collect();
        if signatures.is_empty() { Err(Reject::SignatureMalformed) } else { Ok(signatures) }
    }

    fn timestamp_text<'h>(&self, headers: &'h Headers) -> Result<Option<&'h str>, Reject> {
        let Some(timestamp) = self.timestamp else {
            return Ok(None);
        };
        let found = match timestamp.at {
            Locate::Header(name) => text(headers.single(name)?),
            Locate::Pair(name, key) => match text(headers.single(name)?) {
                Ok(Some(pairs)) => Ok(one_pair(pairs, key)?),
                other => other,
            },
            _ => Ok(None),
        };
        let text = found.map_err(|()| Reject::TimestampMalformed)?.ok_or(Reject::TimestampMissing)?;
        if timestamp.parses(text) { Ok(Some(text)) } else { Err(Reject::TimestampMalformed) }
    }

    /// The signed text as slices, so that a large body is not copied.
    fn message<'m>(&'m self, request: &Request<'m>, timestamp: &'m str) -> Result<Vec<&'m [u8]>, Reject> {
        let part = |part: &'m Part| {
            Ok(match part {
                Part::Timestamp => timestamp.as_bytes(),
                Part::Body => request.body,
                Part::Lit(text) => text.as_bytes(),
                Part::Header(name) => request.headers.single(name)?.ok_or(Reject::SignedHeaderMissing)?,
                Part::Method => request.method.as_bytes(),
                Part::Url => request.url.as_bytes(),
            })
        };
        self.signs.iter().map(part).collect()
    }

    pub(super) fn sign(&self, unsigned: &Unsigned<'_>, family: &str, secret: &Secret) -> Result<Headers, SignError> {
        let timestamp = self.timestamp.map(|timestamp| timestamp.unit.write(unsigned.now)).unwrap_or_default();
        let message = self.message(&unsigned.request(), &timestamp).map_err(|_| SignError::SignedHeaderMissing)?;
        let signature = format!("{}{}", self.prefix, self.encoding.encode(&self.hash.mac(secret, &message)));
        let mut headers = Headers::new();
        let mut in_pairs = None;
        match self.timestamp.map(|timestamp| timestamp.at) {
            Some(Locate::Header(name)) => headers.push(name, timestamp),
            Some(Locate::Pair(name, key)) => in_pairs = Some((name, format!("{key}={timestamp}"))),
            _ => {}
        }
        match (self.signature, in_pairs) {
            (Locate::Pair(name, key), Some((same, time))) if name == same => {
                headers.push(name, format!("{time},{key}={signature}"))
            }
            (Locate::Pair(name, key), None) => headers.push(name, format!("{key}={signature}")),
            (Locate::Header(name), None) => headers.push(name, signature),
            (Locate::Family(name), None) => headers.push(&format!("{family}{name}"), signature),
            _ => return Err(SignError::NotSignable),
        }
        Ok(headers)
    }
}

impl Hash {
    fn mac(self, secret: &Secret, message: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::Sha1 => mac::<Mac<Sha1>>(secret, message),
            Self::Sha256 => mac::<Mac<Sha256>>(secret, message),
            Self::Sha384 => mac::<Mac<Sha384>>(secret, message),
            Self::Sha512 => mac::<Mac<Sha512>>(secret, message),
        }
    }
}

pub(super) fn sha256(key: &[u8], message: &[&[u8]]) -> Vec<u8> {
    with_key::<Mac<Sha256>>(key, message)
}

fn mac<M: ::hmac::Mac + KeyInit>(secret: &Secret, message: &[&[u8]]) -> Vec<u8> {
    with_key::<M>(secret.bytes(), message)
}

fn with_key<M: ::hmac::Mac + KeyInit>(key: &[u8], message: &[&[u8]]) -> Vec<u8> {
    // An HMAC key may have any length, so this never fails; no signature equals nothing.
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else {
        return Vec::new();
    };
    message.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

impl Encoding {
    pub(crate) fn decode(self, text: &str) -> Option<Vec<u8>> {
        let decoded = match self {
            Self::Hex if text.bytes().any(|byte| byte.is_ascii_uppercase()) => None,
            Self::Hex => hex::decode(text).ok(),
            Self::Base64 => BASE64_STANDARD.decode(text).ok(),
            Self::Base64Url => {
                BASE64_URL_SAFE.decode(text).or_else(|_| base64::prelude::BASE64_URL_SAFE_NO_PAD.decode(text)).ok()
            }
        };
        decoded.filter(|bytes| !bytes.is_empty())
    }

    pub(crate) fn encode(self, bytes: &[u8]) -> String {
        match self {
            Self::Hex => hex::encode(bytes),
            Self::Base64 => BASE64_STANDARD.encode(bytes),
            Self::Base64Url => BASE64_URL_SAFE.encode(bytes),
        }
    }
}

/// A header's text; an empty one is as good as none.
fn text(value: Option<&[u8]>) -> Result<Option<&str>, ()> {
    match value {
        None | Some(b"") => Ok(None),
        Some(value) => std::str::from_utf8(value).map(Some).map_err(|_| ()),
    }
}
