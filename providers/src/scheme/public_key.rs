//! Public keys as providers show them, and the signatures they verify.
//!
//! A private key (PKCS#8) in the place of a public one verifies too, and signs: that is how simulators and tests make
//! requests of providers whose own key nobody else has.

use base64::Engine;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::signature::hazmat::{PrehashSigner as _, PrehashVerifier as _};
use p256::pkcs8::{DecodePrivateKey as _, DecodePublicKey as _};
use sha1::Sha1;
use sha2::digest::const_oid::AssociatedOid;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::Hash;
use super::key::KEYS;
use crate::{Secret, SecretError, SignError};

/// DER before the 32 bytes of an Ed25519 public key (RFC 8410, section 10.1).
const ED25519_PUBLIC: &[u8] = &[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
/// DER before the 32 bytes of an Ed25519 seed (RFC 8410, section 10.3).
const ED25519_PRIVATE: &[u8] =
    &[0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// A kind of public-key signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// Ed25519, strict: no small-order keys, no signatures others could have altered.
    Ed25519,
    /// ECDSA on P-256 with SHA-256, the signature in DER. Others can turn one signature into a second valid one.
    EcdsaP256,
    /// ECDSA on P-256 with SHA-256, the signature as two numbers (JOSE).
    EcdsaP256Jose,
    /// The same, but with SHA-1.
    EcdsaP256Sha1,
    /// RSASSA-PKCS1-v1_5.
    Rsa(Hash),
    /// RSASSA-PSS, the salt as long as the hash.
    RsaPss(Hash),
}

/// A public key that was read.
pub(crate) enum Key {
    Ed25519(VerifyingKey),
    P256(p256::ecdsa::VerifyingKey),
    Rsa(rsa::PublicKey),
}

impl PublicKey {
    pub(crate) fn check(self, secret: &Secret) -> Result<(), SecretError> {
        self.key(&der(secret)?).map(|_| ())
    }

    /// Whether one of the signatures is of this message; an error if the secret is no key.
    pub(crate) fn verifies<'s>(
        self,
        secret: &Secret,
        message: &[u8],
        mut signatures: impl Iterator<Item = &'s [u8]>,
    ) -> Result<bool, SecretError> {
        let key = self.key(&der(secret)?)?;
        Ok(signatures.any(|signature| self.holds(&key, message, signature)))
    }

    /// Whether this is the message's signature; never with a key of another kind.
    pub(crate) fn holds(self, key: &Key, message: &[u8], signature: &[u8]) -> bool {
        use p256::ecdsa::Signature;
        match (key, self) {
            (Key::Ed25519(key), Self::Ed25519) => ed25519_dalek::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify_strict(message, &signature).is_ok()),
            (Key::P256(key), Self::EcdsaP256Jose) => {
                Signature::from_slice(signature).is_ok_and(|signature| key.verify(message, &signature).is_ok())
            }
            (Key::P256(key), Self::EcdsaP256) => {
                Signature::from_der(signature).is_ok_and(|signature| key.verify(message, &signature).is_ok())
            }
            (Key::P256(key), Self::EcdsaP256Sha1) => Signature::from_der(signature)
                .is_ok_and(|signature| key.verify_prehash(&Sha1::digest(message), &signature).is_ok()),
            (Key::Rsa(key), Self::Rsa(Hash::Sha1)) => key.pkcs1v15_verify::<Sha1>(message, signature).is_ok(),
            (Key::Rsa(key), Self::Rsa(Hash::Sha256)) => key.pkcs1v15_verify::<Sha256>(message, signature).is_ok(),
            (Key::Rsa(key), Self::RsaPss(Hash::Sha256)) => key.pss_verify::<Sha256>(message, signature).is_ok(),
            _ => false,
        }
    }

    /// The public key in this DER: a SubjectPublicKeyInfo, a PKCS#8 private key, or the bytes of an Ed25519 key.
    pub(crate) fn key(self, der: &[u8]) -> Result<Key, SecretError> {
        match self {
            Self::Ed25519 => match ed25519_signing(der) {
                Some(key) => Ok(Key::Ed25519(key.verifying_key())),
                None => der
                    .strip_prefix(ED25519_PUBLIC)
                    .unwrap_or(der)
                    .try_into()
                    .ok()
                    .and_then(|bytes| VerifyingKey::from_bytes(bytes).ok())
                    .map(Key::Ed25519)
                    .ok_or(SecretError::NotPublicKey),
            },
            Self::EcdsaP256 | Self::EcdsaP256Jose | Self::EcdsaP256Sha1 => {
                match p256::ecdsa::SigningKey::from_pkcs8_der(der) {
                    Ok(key) => Ok(Key::P256(*key.verifying_key())),
                    Err(_) => p256::ecdsa::VerifyingKey::from_public_key_der(der)
                        .map(Key::P256)
                        .map_err(|_| SecretError::NotPublicKey),
                }
            }
            Self::Rsa(_) | Self::RsaPss(_) => match rsa::PrivateKey::from_pkcs8_der(der) {
                Ok(key) => Ok(Key::Rsa(key.to_public_key())),
                Err(_) => rsa::PublicKey::from_public_key_der(der).map(Key::Rsa).map_err(|_| SecretError::NotPublicKey),
            },
        }
    }

    pub(crate) fn sign(self, secret: &Secret, message: &[u8]) -> Result<Vec<u8>, SignError> {
        self.sign_with(&der(secret)?, message)
    }

    /// The signature with a private key (PKCS#8, DER). PSS salts are random, and this crate has no source of that.
    pub(crate) fn sign_with(self, der: &[u8], message: &[u8]) -> Result<Vec<u8>, SignError> {
        let rsa = || rsa::PrivateKey::from_pkcs8_der(der).map_err(|_| SignError::NotSignable);
        let p256 = || p256::ecdsa::SigningKey::from_pkcs8_der(der).map_err(|_| SignError::NotSignable);
        let ecdsa = |signature: p256::ecdsa::Signature| signature.to_der().as_bytes().to_vec();
        match self {
            Self::Ed25519 => Ok(ed25519_signing(der).ok_or(SignError::NotSignable)?.sign(message).to_bytes().to_vec()),
            Self::EcdsaP256 => Ok(ecdsa(p256()?.sign(message))),
            Self::EcdsaP256Jose => {
                let signature: p256::ecdsa::Signature = p256()?.sign(message);
                Ok(signature.to_bytes().to_vec())
            }
            Self::EcdsaP256Sha1 => {
                p256()?.sign_prehash(&Sha1::digest(message)).map(ecdsa).map_err(|_| SignError::NotSignable)
            }
            Self::Rsa(Hash::Sha1) => rsa_sign::<Sha1>(&rsa()?, message),
            Self::Rsa(Hash::Sha256) => rsa_sign::<Sha256>(&rsa()?, message),
            Self::Rsa(_) | Self::RsaPss(_) => Err(SignError::NotSignable),
        }
    }
}

/// The key's bytes: of PEM, of base64 with or without line breaks, or of hex.
fn der(secret: &Secret) -> Result<Zeroizing<Vec<u8>>, SecretError> {
    if secret.verify_token().is_some() {
        return Err(SecretError::VerifyToken);
    }
    let text = std::str::from_utf8(secret.bytes()).map_err(|_| SecretError::NotPublicKey)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("-----"));
    // Key sets write base64url, dashboards the other alphabet.
    let text = Zeroizing::new(lines.collect::<String>().replace('-', "+").replace('_', "/"));
    // 32 bytes in hex are valid base64 too, of another length than any key has.
    if text.len() == 64
        && let Ok(bytes) = hex::decode(text.as_str())
    {
        return Ok(Zeroizing::new(bytes));
    }
    KEYS.decode(text.as_str()).map(Zeroizing::new).map_err(|_| SecretError::NotPublicKey)
}

fn ed25519_signing(der: &[u8]) -> Option<SigningKey> {
    der.strip_prefix(ED25519_PRIVATE)?.try_into().ok().map(SigningKey::from_bytes)
}

fn rsa_sign<D: Digest + AssociatedOid>(key: &rsa::PrivateKey, message: &[u8]) -> Result<Vec<u8>, SignError> {
    key.pkcs1v15_sign::<D>(message).map_err(|_| SignError::NotSignable)
}
