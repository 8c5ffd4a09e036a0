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
            return Self::bounded(Material::of_pem(text)?.into_iter().map(|key| (None, key)).collect());
        }
        let keys: Vec<_> = match serde_json::from_str(text).ok()? {
            // A set grows keys of kinds we do not know: they are passed over.
            Document::Set { keys } => {
                keys.into_iter().filter_map(|key| Some(named(serde_json::from_value(key).ok()?))).collect()
            }
            Document::Wrapped { key } | Document::One(key) => vec![named(key)],
            Document::WrappedPem { key } => Material::of_pem(&key)?.into_iter().map(|key| (None, key)).collect(),
            Document::Named(keys) => {
                let of = |(kid, pem): (String, String)| {
                    Material::of_pem(&pem)
                        .into_iter()
                        .flatten()
                        .map(move |key| (Some(kid.clone()), key))
                        .collect::<Vec<_>>()
                };
                keys.into_iter().flat_map(of).collect()
            }
        };
        Self::bounded(keys)
    }

    fn bounded(keys: Vec<(Option<String>, Material)>) -> Option<Self> {
        (1..=MOST_KEYS).contains(&keys.len()).then_some(Self(keys))
    }

    /// The same keys, each of which counts for this id only.
    pub(super) fn called(self, kid: &str) -> Self {
        Self(self.0.into_iter().map(|(_, key)| (Some(kid.to_owned()), key)).collect())
    }

    /// Whether the message is signed with the key of this id. A request without an id needs a set of one named
    /// key; a key without one, such as those of a chain of certificates, fits any.
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
                (_, None) => true,
                (None, Some(_)) => self.0.len() == 1,
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
    /// Of a chain, every certificate that can be read: only those of the provider's domains count.
    fn of_pem(text: &str) -> Option<Vec<Self>> {
        let read = |block: pem::Block<'_>| match block.label {
            "CERTIFICATE" => Certificate::read(&block.bytes).map(Self::Certificate),
            _ => Some(Self::Der(block.bytes)),
        };
        Some(pem::blocks(text)?.into_iter().filter_map(read).collect())
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

#[cfg(test)]
mod tests {
    use base64::prelude::BASE64_STANDARD;

    use super::*;
    use crate::scheme::Hash;

    const RSA: &str = include_str!("../../tests/keys/rsa_1.pem");
    const MESSAGE: &[u8] = b"signed by another implementation";
    /// With RSA-PSS, SHA-256 and a salt of 32 bytes, by Python's `cryptography`.
    const PSS: &str = "f/MTxxpmBlSAStWqacp56WMoh8i3a2ivm6rX/NutVF8p9K5N5IyHMskqndMP4mSsE8XCklSeRZySNgKvM2PpX8d2ZlJtUxEDwsxJA/ra9yhy8Nx+PnrOIvSYWzGT6V2ohV8Z+mC8Zge77bgtAqriPObPoXdqGJfhwwB4qLs0wFCM912a84xQjS7X07lJGFuTQfmFR/VuWLlU8guI/gQ89CkX0hg9BJQVwiczEd8BzdQA5civIzSulw/fAFoiBlc1fLFqlkv1UvSsqoAQl3v1RP6IZATxRcDVdEZPShUp+KPkU+pWo19rTo/vAXdQcdcHokeLpcIKX1QPYJLoCQHbJQ==";
    /// The same with a salt of 20 bytes.
    const PSS_SHORT_SALT: &str = "uTlXi5KQ1F6oMkvVfMeeK/xMbTv+tTT3t3aa4l5fZ+TMZqbYcAmxVGvUBJ7HU2XrJxYZnhsJ0GwaNuov7yqH6c3uVB8ZJ67wONaEOyZNGjR2ED/y0L9Hvn+z5GUwRfml6ITBuaRTbij9s6McLgU30eadDzEVmQlbIgXk9zCbnAnzPZsOAj0DLi0Gcvb5JXnk7sv3WsQJmd0T4diIsljIMYfPdppjK78XiNZanWcWoa2ud3tGd5kZ8Rgiutelk608PrXESQWoHn5nthLTPBG2a4OhgWBtgZmPLCpTm6X3icZxN/oXnyHBLC+PjgNZmeekR5D7U33WJhAom/5+e3smBA==";

    fn usage(kind: PublicKey, algorithm: JwtAlgorithm) -> Use<'static> {
        Use { kind, algorithm: Some(algorithm), domains: &[], now: 0 }
    }

    #[test]
    fn pss_is_verified_with_a_salt_as_long_as_the_hash_and_is_not_the_older_padding() {
        let keys = KeySet::parse(RSA.as_bytes()).unwrap();
        let verifies = |kind, signature| {
            let signature = BASE64_STANDARD.decode(signature).unwrap();
            keys.verifies(None, &usage(kind, JwtAlgorithm::Ps256), MESSAGE, &signature)
        };
        assert_eq!(verifies(PublicKey::RsaPss(Hash::Sha256), PSS), Ok(true));
        assert_eq!(verifies(PublicKey::RsaPss(Hash::Sha256), PSS_SHORT_SALT), Ok(false));
        assert_eq!(verifies(PublicKey::Rsa(Hash::Sha256), PSS), Ok(false));
        let older = keys.sign(PublicKey::Rsa(Hash::Sha256), MESSAGE).unwrap();
        assert_eq!(verifies(PublicKey::RsaPss(Hash::Sha256), &BASE64_STANDARD.encode(older)), Ok(false));
    }

    /// RFC 8037, appendix A.4.
    #[test]
    fn an_eddsa_signature_is_verified_with_its_jwk() {
        let jwk = br#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signature).unwrap();
        let message = b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let keys = KeySet::parse(jwk).unwrap();
        let eddsa = usage(PublicKey::Ed25519, JwtAlgorithm::EdDsa);
        assert_eq!(keys.verifies(None, &eddsa, message, &signature), Ok(true));
        assert_eq!(keys.verifies(None, &eddsa, b"another", &signature), Ok(false));
        let es256 = usage(PublicKey::EcdsaP256Jose, JwtAlgorithm::Es256);
        assert_eq!(keys.verifies(None, &es256, message, &signature), Err(Reject::KeyUnusable));
    }

    #[test]
    fn without_an_id_only_the_only_key_counts() {
        let one = r#"{"kty":"OKP","crv":"Ed25519","kid":"a","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
        let two = one.replace("\"a\"", "\"b\"");
        let verifies = |set: String, kid| {
            let keys = KeySet::parse(set.as_bytes()).unwrap();
            keys.verifies(kid, &usage(PublicKey::Ed25519, JwtAlgorithm::EdDsa), b"", &[0; 64])
        };
        assert_eq!(verifies(format!(r#"{{"keys":[{one}]}}"#), None), Ok(false));
        assert_eq!(verifies(format!(r#"{{"keys":[{one},{two}]}}"#), None), Err(Reject::KeyUnknown));
        assert_eq!(verifies(format!(r#"{{"keys":[{one},{two}]}}"#), Some("b")), Ok(false));
        assert_eq!(verifies(format!(r#"{{"keys":[{one},{two}]}}"#), Some("c")), Err(Reject::KeyUnknown));
    }

    #[test]
    fn more_keys_than_anybody_has_are_none() {
        let set = |count| format!(r#"{{"keys":[{}]}}"#, vec![r#"{"kty":"RSA"}"#; count].join(","));
        assert!(KeySet::parse(set(MOST_KEYS).as_bytes()).is_some());
        assert!(KeySet::parse(set(MOST_KEYS + 1).as_bytes()).is_none());
        assert!(KeySet::parse(format!("{}{}", " ".repeat(LARGEST), set(1)).as_bytes()).is_none());
    }
}
