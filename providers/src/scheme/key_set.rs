//! The provider's public keys, fetched or given as a secret: PEM, JWK, JWKS, or PEM by key id.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Deserialize;
use zeroize::Zeroizing;

use super::certificate::Certificate;
use super::public_key::{Key, PublicKey};
use super::{JwtAlgorithm, pem};
use crate::{Reject, SignError};

/// More than any provider publishes.
const LARGEST: usize = 256 * 1024;
const MOST_KEYS: usize = 64;

/// Public keys, some with ids.
pub(super) struct KeySet(Vec<(Option<String>, Material)>);

enum Material {
    Der(Zeroizing<Vec<u8>>),
    Certificate(Certificate),
    Jwk(Jwk),
}

/// How a key is to be used.
pub(super) struct Use<'u> {
    pub(super) kind: PublicKey,
    /// The algorithm's name, where the key may name one.
    pub(super) algorithm: Option<JwtAlgorithm>,
    /// The domains a certificate must be of.
    pub(super) domains: &'u [&'u str],
    /// Unix seconds.
    pub(super) now: i64,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    r#use: Option<String>,
    crv: Option<String>,
    #[serde(default)]
    n: String,
    #[serde(default)]
    e: String,
    #[serde(default)]
    x: String,
    #[serde(default)]
    y: String,
    /// Plaid's: when the key was withdrawn.
    expired_at: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Document {
    Set {
        keys: Vec<serde_json::Value>,
    },
    /// Plaid's answer.
    Wrapped {
        key: Jwk,
    },
    /// eBay's answer.
    WrappedPem {
        key: String,
    },
    One(Jwk),
    /// Google's first form of its keys.
    Named(BTreeMap<String, String>),
}

impl KeySet {
    /// `None`: no keys that could be used.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= LARGEST)?.trim();
        if text.starts_with(pem::BEGIN) {
            return Some(Self(vec![(None, Material::of_pem(text)?)]));
        }
        let keys: Vec<_> = match serde_json::from_str(text).ok()? {
            // A set grows keys of kinds we do not know: they are passed over.
            Document::Set { keys } => {
                keys.into_iter().filter_map(|key| Some(named(serde_json::from_value(key).ok()?))).collect()
            }
            Document::Wrapped { key } | Document::One(key) => vec![named(key)],
            Document::WrappedPem { key } => vec![(None, Material::of_pem(&key)?)],
            Document::Named(keys) => {
                keys.into_iter().filter_map(|(kid, pem)| Some((Some(kid), Material::of_pem(&pem)?))).collect()
            }
        };
        (1..=MOST_KEYS).contains(&keys.len()).then_some(Self(keys))
    }

    /// The same keys, each of which counts for this id only.
    pub(super) fn called(self, kid: &str) -> Self {
        Self(self.0.into_iter().map(|(_, key)| (Some(kid.to_owned()), key)).collect())
    }

    /// Whether the message is signed with the key of this id. A request without an id needs a set of one key; a key
    /// without one fits any.
    pub(super) fn verifies(
        &self,
        kid: Option<&str>,
        usage: &Use<'_>,
        message: &[u8],
        signature: &[u8],
    ) -> Result<bool, Reject> {
        let mut refused = Reject::KeyUnknown;
        for (name, material) in &self.0 {
            let is_called = match (kid, name) {
                (Some(kid), Some(name)) => kid == name,
                (Some(_), None) => true,
                (None, _) => self.0.len() == 1,
            };
            if !is_called {
                continue;
            }
            match material.key(usage) {
                Ok(key) if usage.kind.holds(&key, message, signature) => return Ok(true),
                Ok(_) => refused = Reject::SignatureMismatch,
                Err(reject) if refused == Reject::KeyUnknown => refused = reject,
                Err(_) => {}
            }
        }
        if refused == Reject::SignatureMismatch { Ok(false) } else { Err(refused) }
    }

    /// A signature with the private key that stands in the place of a public one.
    pub(super) fn sign(&self, kind: PublicKey, message: &[u8]) -> Result<Vec<u8>, SignError> {
        match self.0.first() {
            Some((_, Material::Der(der))) => kind.sign_with(der, message),
            _ => Err(SignError::NotSignable),
        }
    }
}

fn named(key: Jwk) -> (Option<String>, Material) {
    (key.kid.clone(), Material::Jwk(key))
}

impl Material {
    fn of_pem(text: &str) -> Option<Self> {
        match pem::first(text)? {
            ("CERTIFICATE", der) => Certificate::read(&der).map(Self::Certificate),
            (_, der) => Some(Self::Der(der)),
        }
    }

    fn key(&self, usage: &Use<'_>) -> Result<Key, Reject> {
        match self {
            Self::Der(der) => usage.kind.key(der).map_err(|_| Reject::KeyUnusable),
            Self::Certificate(certificate) => {
                certificate.check(usage.domains, usage.now)?;
                usage.kind.key(&certificate.key).map_err(|_| Reject::KeyUnusable)
            }
            Self::Jwk(jwk) => jwk.key(usage),
        }
    }
}

impl Jwk {
    /// What the key says of its own use must agree with ours.
    fn key(&self, usage: &Use<'_>) -> Result<Key, Reject> {
        if self.expired_at.as_ref().is_some_and(|time| !time.is_null()) {
            return Err(Reject::KeyExpired);
        }
        let named = usage.algorithm.map(JwtAlgorithm::name);
        let is_for_signing = self.r#use.as_deref().is_none_or(|purpose| purpose == "sig");
        if !is_for_signing || self.alg.as_deref().is_some_and(|alg| Some(alg) != named) {
            return Err(Reject::KeyUnusable);
        }
        self.read(usage.kind).ok_or(Reject::KeyUnusable)
    }

    fn read(&self, kind: PublicKey) -> Option<Key> {
        let bytes = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let number = |text: &str| Some(rsa::BoxedUint::from_be_slice_vartime(&bytes(text)?));
        match (self.kty.as_str(), self.crv.as_deref(), kind) {
            ("RSA", None, PublicKey::Rsa(_) | PublicKey::RsaPss(_)) => {
                rsa::PublicKey::new(number(&self.n)?, number(&self.e)?).ok().map(Key::Rsa)
            }
            ("EC", Some("P-256"), PublicKey::EcdsaP256 | PublicKey::EcdsaP256Jose | PublicKey::EcdsaP256Sha1) => {
                let (x, y) = (bytes(&self.x)?, bytes(&self.y)?);
                if (x.len(), y.len()) != (32, 32) {
                    return None;
                }
                p256::ecdsa::VerifyingKey::from_sec1_bytes(&[&[4], &x[..], &y[..]].concat()).ok().map(Key::P256)
            }
            ("OKP", Some("Ed25519"), PublicKey::Ed25519) => kind.key(&bytes(&self.x)?).ok(),
            _ => None,
        }
    }
}
