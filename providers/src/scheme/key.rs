//! What the secret a provider shows means as a key.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use zeroize::Zeroizing;

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::OnceLock;

use super::Hash;
use super::hash::{Bytes, Keyed};
use crate::{Secret, SecretError};

/// People copy keys with and without their padding.
pub(crate) const KEYS: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// How a secret becomes a key. Many secrets look encoded and are not: each provider says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyForm {
    /// Its bytes, as shown.
    Text,
    /// Hex, in either case.
    Hex,
    /// Base64.
    Base64,
    /// Its bytes, followed by this text.
    Suffixed(&'static str),
    /// The time of sending as written, followed by its bytes: another key for each request.
    AfterTimestamp,
    /// `NAME:KEY`: the key behind the colon; the name is what the request calls it by.
    Named,
    /// `NAME:KEY`, the key in base64 with either alphabet, read as leniently as Node does.
    NamedBase64,
    /// `NAME:KEY`, where the key is both, joined by this text.
    Joined(&'static str),
    /// `NAME:KEY`, where the key is the SHA-1 of what is behind the colon.
    NamedSha1,
    /// Text in which `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&#039;` stand for what they mean in HTML.
    HtmlEscaped,
}

/// A key, and what the request calls it by.
pub(crate) struct Key {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    pub(crate) name: Option<String>,
    prepared: OnceLock<Keyed>,
}

/// A key for one request.
pub(crate) enum Held<'s> {
    /// Kept beside its secret.
    Kept(&'s Key),
    /// Of this request only.
    Made(Box<Key>),
}

impl KeyForm {
    /// The key for a request sent at this time. Most secrets serve one provider, so a secret keeps the key of the form that it
    /// was first asked for, and a form that is not that one's is made anew.
    pub(crate) fn held<'s>(self, secret: &'s Secret, time: &str) -> Result<Held<'s>, SecretError> {
        if self == Self::AfterTimestamp {
            let key = self.of(secret)?;
            return Ok(Held::Made(Key::new([time.as_bytes(), &key.bytes].concat(), None).into()));
        }
        match secret.kept_key() {
            Some((form, key)) if *form == self => Ok(Held::Kept(key)),
            Some(_) => self.of(secret).map(|key| Held::Made(key.into())),
            None => {
                let (form, key) = secret.keep_key(self, self.of(secret)?);
                if *form == self { Ok(Held::Kept(key)) } else { self.of(secret).map(|key| Held::Made(key.into())) }
            }
        }
    }

    pub(crate) fn of(self, secret: &Secret) -> Result<Key, SecretError> {
        if secret.verify_token().is_some() {
            return Err(SecretError::VerifyToken);
        }
        let text = secret.bytes();
        let unnamed = |bytes: Vec<u8>| Ok(Key::new(bytes, None));
        match self {
            // Of a request; on its own the secret is only its part of the key.
            Self::Text | Self::AfterTimestamp => unnamed(text.to_vec()),
            Self::Hex => match hex::decode(text) {
                Ok(bytes) if !bytes.is_empty() => unnamed(bytes),
                _ => Err(SecretError::NotHex),
            },
            Self::Base64 => match KEYS.decode(text) {
                Ok(bytes) if !bytes.is_empty() => unnamed(bytes),
                _ => Err(SecretError::NotBase64),
            },
            Self::Suffixed(suffix) => unnamed([text, suffix.as_bytes()].concat()),
            Self::Named => named(text, |_, key| key.to_vec()),
            Self::NamedBase64 => {
                let Key { bytes, name, .. } = named(text, |_, key| key.to_vec())?;
                let standard = |byte: &u8| match byte {
                    b'-' => b'+',
                    b'_' => b'/',
                    byte => *byte,
                };
                let standard: Zeroizing<Vec<u8>> = Zeroizing::new(bytes.iter().map(standard).collect());
                let bytes = LENIENT.decode(&*standard).map_err(|_| SecretError::NotBase64)?;
                if bytes.is_empty() { Err(SecretError::NoKey) } else { Ok(Key::new(bytes, name)) }
            }
            Self::Joined(joint) => named(text, |name, key| [name, joint.as_bytes(), key].concat()),
            Self::NamedSha1 => named(text, |_, key| Hash::Sha1.digest(&[key.into()]).into_vec()),
            Self::HtmlEscaped => unnamed(unescaped(text)),
        }
    }
}

impl Key {
    fn new(bytes: Vec<u8>, name: Option<String>) -> Self {
        Self { bytes: Zeroizing::new(bytes), name, prepared: OnceLock::new() }
    }

    /// The HMAC of a message. The hash function first asked for is prepared once; senders hardly ever use another.
    pub(crate) fn mac(&self, hash: Hash, message: &[Cow<'_, [u8]>]) -> Bytes {
        if self.prepared.get().is_none()
            && let Some(keyed) = Keyed::new(hash, &self.bytes)
        {
            let _ = self.prepared.set(keyed);
        }
        match self.prepared.get() {
            Some(keyed) if keyed.hash() == hash => keyed.mac(message),
            _ => hash.hmac(&self.bytes, message),
        }
    }
}

impl Deref for Held<'_> {
    type Target = Key;

    fn deref(&self) -> &Key {
        match self {
            Self::Kept(key) => key,
            Self::Made(key) => key,
        }
    }
}

fn named(text: &[u8], key: impl FnOnce(&[u8], &[u8]) -> Vec<u8>) -> Result<Key, SecretError> {
    let colon = text.iter().position(|byte| *byte == b':').ok_or(SecretError::NotNamed)?;
    let (name, secret) = (&text[..colon], &text[colon + 1..]);
    if name.is_empty() || secret.is_empty() {
        return Err(SecretError::NotNamed);
    }
    let called = std::str::from_utf8(name).map_err(|_| SecretError::NotNamed)?.to_owned();
    Ok(Key::new(key(name, secret), Some(called)))
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    const ENTITIES: [(&str, &str); 5] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&amp;", "&")];
    match std::str::from_utf8(text) {
        Ok(text) => ENTITIES.iter().fold(text.to_owned(), |text, (entity, means)| text.replace(entity, means)).into(),
        Err(_) => text.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_was_used_in_one_form_is_still_right_in_another() {
        let secret = Secret::new("0a:0b0c").expect("a secret");
        let bytes = |form: KeyForm| form.held(&secret, "17").map(|key| key.bytes.to_vec());
        for _ in 0..2 {
            assert_eq!(bytes(KeyForm::Text), Ok(b"0a:0b0c".to_vec()));
            assert_eq!(bytes(KeyForm::Named), Ok(b"0b0c".to_vec()));
            assert_eq!(bytes(KeyForm::Suffixed("x")), Ok(b"0a:0b0cx".to_vec()));
            assert_eq!(bytes(KeyForm::Suffixed("y")), Ok(b"0a:0b0cy".to_vec()));
            assert_eq!(bytes(KeyForm::AfterTimestamp), Ok(b"170a:0b0c".to_vec()));
            assert_eq!(bytes(KeyForm::Hex), Err(SecretError::NotHex));
        }
    }

    #[test]
    fn a_key_prepared_for_one_hash_function_is_still_right_for_another() {
        let key = Key::new(b"key".to_vec(), None);
        let message = [b"message"[..].into()];
        for hash in [Hash::Sha256, Hash::Sha1, Hash::Sha512, Hash::Sha256, Hash::Md5, Hash::Sha384] {
            assert_eq!(key.mac(hash, &message), hash.hmac(b"key", &message), "{hash:?}");
        }
    }

    #[test]
    fn what_a_key_was_prepared_into_is_wiped_when_dropped() {
        // An `Hmac` holds two states of its hash function, nothing else that is secret.
        const fn wiped<T: zeroize::ZeroizeOnDrop>() {}
        wiped::<sha2::Sha256>();
        wiped::<sha1::Sha1>();
        wiped::<sha2::Sha512>();
        wiped::<sha2::Sha384>();
        wiped::<md5::Md5>();
    }
}
