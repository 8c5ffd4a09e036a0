//! Secrets at rest: sealed under a key that the database never holds.
//!
//! XChaCha20-Poly1305 with a random nonce for each; the associated data names the row, so a sealed secret moved to another
//! row or source does not open. A key is named by the first bytes of its SHA-256: enough to find the right one of several,
//! and useless for guessing 32 random bytes.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chacha20poly1305::aead::{Aead, Generate, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hookgate_providers::Secret;
use sha2::{Digest, Sha256};

const NONCE: usize = 24;

/// Names a key.
pub(crate) type KeyId = [u8; 8];

/// One key.
#[derive(Clone)]
pub(crate) struct SealingKey {
    id: KeyId,
    cipher: XChaCha20Poly1305,
}

impl SealingKey {
    /// Reads a key: the base64 of 32 bytes. The error says how to make one.
    pub(crate) fn parse(text: &str) -> Result<Self, NoKey> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|_| NoKey)?;
        let cipher = XChaCha20Poly1305::new_from_slice(&bytes).map_err(|_| NoKey)?;
        let mut id = KeyId::default();
        id.copy_from_slice(&Sha256::digest(&bytes)[..8]);
        Ok(Self { id, cipher })
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(redacted)")
    }
}

/// The text is no sealing key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not the base64 of 32 bytes: make one with `openssl rand -base64 32`")]
pub(crate) struct NoKey;

/// The key that seals, and the ones before it, which still open.
#[derive(Debug, Clone, Default)]
pub(crate) struct SealingKeys {
    newest: Option<SealingKey>,
    older: Vec<SealingKey>,
}

/// A secret as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sealed {
    pub(crate) key: KeyId,
    /// Nonce, ciphertext, tag.
    pub(crate) bytes: Vec<u8>,
}

/// Why a stored secret can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unopened {
    #[error(
        "it was sealed with a key that is not configured: set `secrets.sealing_key`, or list it in `secrets.sealing_key_old`"
    )]
    KeyUnknown,
    #[error("it does not open with its own key: the row was altered, or moved from another source")]
    Altered,
}

impl SealingKeys {
    /// `None` seals nothing; `older` still open.
    pub(crate) fn new(newest: Option<SealingKey>, older: Vec<SealingKey>) -> Self {
        Self { newest, older }
    }

    /// Whether anything can be sealed.
    pub(crate) fn can_seal(&self) -> bool {
        self.newest.is_some()
    }

    /// Whether what is sealed with this key opens, and the key is the newest.
    pub(crate) fn standing(&self, key: &[u8]) -> &'static str {
        let is = |known: &SealingKey| known.id == key;
        match (self.newest.as_ref().is_some_and(is), self.older.iter().any(is)) {
            (true, _) => "current",
            (false, true) => "old",
            (false, false) => "unknown",
        }
    }

    /// Seals a secret for one row. `None`: there is no key.
    pub(crate) fn seal(&self, secret: &Secret, row: &str) -> Option<Sealed> {
        let key = self.newest.as_ref()?;
        let nonce = XNonce::generate();
        let payload = Payload { msg: secret.expose(), aad: row.as_bytes() };
        // Fails only beyond 256 GB.
        let sealed = key.cipher.encrypt(&nonce, payload).ok()?;
        Some(Sealed { key: key.id, bytes: [nonce.as_slice(), &sealed].concat() })
    }

    /// Opens what was sealed for this row.
    pub(crate) fn open(&self, key: &[u8], sealed: &[u8], row: &str) -> Result<Secret, Unopened> {
        let known = self.newest.iter().chain(&self.older).find(|known| known.id == key);
        let known = known.ok_or(Unopened::KeyUnknown)?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or(Unopened::Altered)?;
        let payload = Payload { msg: sealed, aad: row.as_bytes() };
        let opened = known.cipher.decrypt(&XNonce::from(*nonce), payload).map_err(|_| Unopened::Altered)?;
        Secret::new(opened).map_err(|_| Unopened::Altered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> SealingKey {
        SealingKey::parse(&BASE64_STANDARD.encode([byte; 32])).expect("a key")
    }

    fn keys(newest: u8, older: &[u8]) -> SealingKeys {
        SealingKeys::new(Some(key(newest)), older.iter().map(|byte| key(*byte)).collect())
    }

    #[test]
    fn a_secret_opens_in_its_own_row_under_its_own_key_and_nowhere_else() {
        let secret = Secret::new("from-a-handshake").unwrap();
        let sealed = keys(1, &[]).seal(&secret, "asana/100").unwrap();
        assert_eq!(keys(1, &[]).open(&sealed.key, &sealed.bytes, "asana/100"), Ok(secret.clone()));
        assert_eq!(keys(2, &[1]).open(&sealed.key, &sealed.bytes, "asana/100"), Ok(secret.clone()), "rolled");
        assert_eq!(keys(2, &[]).open(&sealed.key, &sealed.bytes, "asana/100"), Err(Unopened::KeyUnknown));
        assert_eq!(keys(1, &[]).open(&sealed.key, &sealed.bytes, "asana/101"), Err(Unopened::Altered));
        assert_eq!(keys(1, &[]).open(&sealed.key, &sealed.bytes[..10], "asana/100"), Err(Unopened::Altered));
        for at in 0..sealed.bytes.len() {
            let mut altered = sealed.bytes.clone();
            altered[at] ^= 1;
            assert_eq!(keys(1, &[]).open(&sealed.key, &altered, "asana/100"), Err(Unopened::Altered), "byte {at}");
        }
        let again = keys(1, &[]).seal(&secret, "asana/100").unwrap();
        assert_ne!(again.bytes, sealed.bytes, "a fresh nonce each time");
    }

    #[test]
    fn only_32_bytes_in_base64_are_a_key() {
        for text in ["", "secret", &BASE64_STANDARD.encode([1; 31]), &BASE64_STANDARD.encode([1; 33]), &"0".repeat(64)]
        {
            assert!(SealingKey::parse(text).is_err(), "{text}");
        }
        assert_eq!(format!("{:?}", key(1)), "SealingKey(redacted)");
    }
}
