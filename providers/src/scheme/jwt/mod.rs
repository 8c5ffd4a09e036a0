//! A JSON Web Token in a header, or as the whole body.
//!
//! The algorithm is the provider's, never the token's: a token that names another is refused before anything is
//! computed. Keys carried in the token's header are ignored, and so is a key's id but to choose among the provider's.

mod claims;
mod signer;

pub use signer::Signer;
pub(crate) use signer::{credentials, is_plain_kid};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};
use subtle::ConstantTimeEq;

use super::key_set::Use;
use super::message::text;
use super::provider_key::{Held, Stop, matching};
use super::{Clock, Encoding, Hash, KeyForm, PublicKey};
use crate::{Headers, Keys, Reject, Request, Secret, SecretError, SignError, Unsigned};

/// A signed token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jwt {
    /// Where it is.
    pub at: TokenPlace,
    /// The only algorithms it may have, ours first.
    pub algorithms: &'static [JwtAlgorithm],
    /// How the secret becomes a key, for algorithms with a shared one.
    pub key: KeyForm,
    /// Who must have issued it.
    pub issuer: Issuer,
    /// The claim with the SHA-256 of the body, and how it is written.
    pub body_hash: Option<(&'static str, Encoding)>,
    /// The claim about the URL.
    pub url: Option<(&'static str, UrlClaim)>,
    /// How old it may be, in seconds, by `iat`, which must then be there.
    pub issued_within_s: Option<u32>,
    /// How far `exp` and `nbf` may be from our clock, in seconds. They count wherever they are.
    pub leeway_s: u32,
    /// Whether it must have `exp`; its `iat` must then not be ahead of our clock, and the source's tolerance is the leeway.
    pub must_expire: bool,
    /// Whose keys verify it.
    pub signer: Signer,
}

/// Where a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenPlace {
    /// In this header, behind this text.
    Header(&'static str, &'static str),
    /// In this header, with or without this text before it.
    HeaderOptional(&'static str, &'static str),
    /// The body is the token, and its claims are the document.
    Body,
}

/// A signature algorithm of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "RFC 7518 names them")]
pub enum JwtAlgorithm {
    Hs256,
    Hs384,
    Hs512,
    Rs256,
    Ps256,
    Es256,
    EdDsa,
}

/// Who must have issued a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Issuer {
    /// Anybody with the key.
    Any,
    /// This one.
    Is(&'static str),
    /// The name of the key, see [`KeyForm::Named`].
    KeyName,
}

/// What a claim says about the URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlClaim {
    /// The SHA-256 of the whole URL, in hex.
    Sha256,
    /// The URL without its query and a slash at its end; the case of its host does not count.
    WithoutQuery,
}

struct Parts<'t> {
    signed: &'t str,
    kid: Option<String>,
    algorithm: JwtAlgorithm,
    claims: Map<String, Value>,
    signature: Vec<u8>,
}

impl Jwt {
    /// An HS256 token.
    pub const fn hs256(at: TokenPlace) -> Self {
        Self {
            at,
            algorithms: &[JwtAlgorithm::Hs256],
            key: KeyForm::Text,
            issuer: Issuer::Any,
            body_hash: None,
            url: None,
            issued_within_s: None,
            leeway_s: 0,
            must_expire: false,
            signer: Signer::Secrets,
        }
    }

    /// An RS256 token.
    pub const fn rs256(at: TokenPlace) -> Self {
        Self { algorithms: &[JwtAlgorithm::Rs256], ..Self::hs256(at) }
    }

    pub(super) fn check(&self, request: &Request<'_>, secrets: &[Secret], clock: Clock) -> Result<usize, Reject> {
        let parts = self.parts(self.token(request)?)?;
        let mut refused = Reject::SecretUnusable;
        for (index, secret) in secrets.iter().enumerate() {
            let Ok((matches, name)) = self.verifies(secret, &parts) else { continue };
            if !matches {
                refused = Reject::SignatureMismatch;
                continue;
            }
            return self.check_claims(&parts.claims, name.as_deref(), request, clock).map(|()| index);
        }
        Err(refused)
    }

    /// The same with keys of the provider's, which are asked for only when everything else is right.
    pub(super) fn check_signer(
        &self,
        request: &Request<'_>,
        secrets: &[Secret],
        clock: Clock,
        keys: &Keys,
    ) -> Result<usize, Stop> {
        if self.signer == Signer::Secrets {
            return Ok(self.check(request, secrets, clock)?);
        }
        let parts = self.parts(self.token(request)?)?;
        self.check_subject(&parts.claims, None, request)?;
        let kid = parts.kid.as_deref();
        let kind = parts.algorithm.public_key();
        let usage = Use { kind, algorithm: Some(parts.algorithm), domains: &[], now: clock.now };
        matching(
            secrets,
            |meant| self.signer.means(meant, &parts.claims, request),
            |meant| self.signer.keys(meant, kid, request, keys),
            |_, keys| keys.verifies(kid, &usage, parts.signed.as_bytes(), &parts.signature),
            self.check_times(&parts.claims, clock),
        )
    }

    fn token<'r>(&self, request: &Request<'r>) -> Result<&'r str, Reject> {
        let (name, prefix, optional) = match self.at {
            TokenPlace::Header(name, prefix) => (name, prefix, false),
            TokenPlace::HeaderOptional(name, prefix) => (name, prefix, true),
            TokenPlace::Body => return std::str::from_utf8(request.body).map_err(|_| Reject::SignatureMalformed),
        };
        let value = text(request.headers.single(name)?)?.ok_or(Reject::SignatureMissing)?;
        match (value.get(..prefix.len()), optional) {
            (Some(start), _) if start.eq_ignore_ascii_case(prefix) => Ok(&value[prefix.len()..]),
            (_, true) => Ok(value),
            (_, false) => Err(Reject::SignatureMalformed),
        }
    }

    fn parts<'t>(&self, token: &'t str) -> Result<Parts<'t>, Reject> {
        let (signed, signature) = token.rsplit_once('.').ok_or(Reject::SignatureMalformed)?;
        let (header, claims) = signed.split_once('.').ok_or(Reject::SignatureMalformed)?;
        let bytes = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| Reject::SignatureMalformed);
        let object = |text: &str| -> Result<Map<String, Value>, Reject> {
            serde_json::from_slice(&bytes(text)?).map_err(|_| Reject::SignatureMalformed)
        };
        let header = object(header)?;
        // An extension we do not know may change what the signature means.
        let named = header.get("alg").filter(|_| !header.contains_key("crit")).and_then(Value::as_str);
        let algorithm = self.algorithms.iter().find(|algorithm| Some(algorithm.name()) == named);
        Ok(Parts {
            signed,
            kid: header.get("kid").and_then(Value::as_str).map(str::to_owned),
            algorithm: *algorithm.ok_or(Reject::SignatureMalformed)?,
            claims: object(claims)?,
            signature: bytes(signature)?,
        })
    }

    /// Whether the signature is made with this secret, and the secret's name.
    fn verifies(&self, secret: &Secret, parts: &Parts<'_>) -> Result<(bool, Option<String>), SecretError> {
        let message = parts.signed.as_bytes();
        match parts.algorithm.hash() {
            Some(hash) => {
                let key = self.key.of(secret)?;
                let expected = hash.hmac(&key.bytes, &[message.into()]);
                Ok((parts.signature.ct_eq(&expected).into(), key.name))
            }
            None => {
                let signature = std::iter::once(&parts.signature[..]);
                Ok((parts.algorithm.public_key().verifies(secret, message, signature)?, None))
            }
        }
    }

    pub(super) fn sign(&self, unsigned: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
        let (header, prefix) = match self.at {
            TokenPlace::Header(name, prefix) | TokenPlace::HeaderOptional(name, prefix) => (name, prefix),
            TokenPlace::Body => {
                let holds = self.check(&unsigned.request(), std::slice::from_ref(secret), Clock::at(unsigned.now));
                return if holds.is_ok() { Ok(Headers::new()) } else { Err(SignError::NotSignable) };
            }
        };
        let algorithm = *self.algorithms.first().ok_or(SignError::NotSignable)?;
        let held = if self.signer == Signer::Secrets { None } else { Some(Held::of(secret)?) };
        if held.as_ref().is_some_and(|held| self.signer == Signer::Google && held.meant.is_empty()) {
            return Err(SignError::NotSignable);
        }
        let key = self.key.of(secret)?;
        let mut claims = json!({"iat": unsigned.now, "nbf": unsigned.now, "exp": unsigned.now.saturating_add(300)});
        match self.issuer {
            Issuer::Any => {}
            Issuer::Is(issuer) => claims["iss"] = issuer.into(),
            Issuer::KeyName => claims["iss"] = key.name.into(),
        }
        for (name, value) in held.iter().flat_map(|held| self.signer.claims(held.meant, unsigned.url)) {
            claims[name] = value;
        }
        if let Some((name, encoding)) = self.body_hash {
            claims[name] = encoding.encode(&Hash::Sha256.digest(&[unsigned.body.into()])).into();
        }
        // MessageBird's own library refuses a token without one.
        if !unsigned.id.is_empty() {
            claims["jti"] = unsigned.id.into();
        }
        if let Some((name, url)) = self.url {
            claims[name] = url.of(unsigned.url).into();
        }
        let encode = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let mut head = json!({"alg": algorithm.name(), "typ": "JWT"});
        if held.is_some() {
            head["kid"] = "hookgate".into();
        }
        let signed = format!("{}.{}", encode(&head), encode(&claims));
        let signature = match algorithm.hash() {
            None if let Some(held) = held => {
                held.keys.ok_or(SignError::NotSignable)?.sign(algorithm.public_key(), signed.as_bytes())?
            }
            Some(hash) => hash.hmac(&key.bytes, &[signed.as_bytes().into()]).into_vec(),
            None => algorithm.public_key().sign(secret, signed.as_bytes())?,
        };
        let token = format!("{prefix}{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature));
        Ok([(header, token)].into_iter().collect())
    }

    pub(super) fn check_secret(&self, secret: &Secret) -> Result<(), SecretError> {
        if self.signer != Signer::Secrets {
            return self.signer.check_secret(secret);
        }
        match self.algorithms.first() {
            Some(algorithm) if algorithm.hash().is_none() => algorithm.public_key().check(secret),
            _ => self.key.of(secret).map(|_| ()),
        }
    }

    /// The claims of a token that is the body, verified or not.
    pub(crate) fn document(&self, body: &[u8]) -> Option<Vec<u8>> {
        if self.at != TokenPlace::Body {
            return None;
        }
        let claims = body.split(|byte| *byte == b'.').nth(1)?;
        BASE64_URL_SAFE_NO_PAD.decode(claims).ok()
    }
}

impl JwtAlgorithm {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Hs256 => "HS256",
            Self::Hs384 => "HS384",
            Self::Hs512 => "HS512",
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    fn hash(self) -> Option<Hash> {
        match self {
            Self::Hs256 => Some(Hash::Sha256),
            Self::Hs384 => Some(Hash::Sha384),
            Self::Hs512 => Some(Hash::Sha512),
            Self::Rs256 | Self::Ps256 | Self::Es256 | Self::EdDsa => None,
        }
    }

    fn public_key(self) -> PublicKey {
        match self {
            Self::Es256 => PublicKey::EcdsaP256Jose,
            Self::EdDsa => PublicKey::Ed25519,
            Self::Ps256 => PublicKey::RsaPss(Hash::Sha256),
            _ => PublicKey::Rsa(Hash::Sha256),
        }
    }
}
