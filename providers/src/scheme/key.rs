//! What the secret a provider shows means as a key.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use zeroize::Zeroizing;

use super::Hash;
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
}

impl KeyForm {
    pub(crate) fn of(self, secret: &Secret) -> Result<Key, SecretError> {
        if secret.verify_token().is_some() {
            return Err(SecretError::VerifyToken);
        }
        let text = secret.bytes();
        let unnamed = |bytes: Vec<u8>| Ok(Key { bytes: Zeroizing::new(bytes), name: None });
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
                let Key { bytes, name } = named(text, |_, key| key.to_vec())?;
                let standard = |byte: &u8| match byte {
                    b'-' => b'+',
                    b'_' => b'/',
                    byte => *byte,
                };
                let standard: Zeroizing<Vec<u8>> = Zeroizing::new(bytes.iter().map(standard).collect());
                let bytes = LENIENT.decode(&*standard).map(Zeroizing::new).map_err(|_| SecretError::NotBase64)?;
                if bytes.is_empty() { Err(SecretError::NoKey) } else { Ok(Key { bytes, name }) }
            }
            Self::Joined(joint) => named(text, |name, key| [name, joint.as_bytes(), key].concat()),
            Self::NamedSha1 => named(text, |_, key| Hash::Sha1.digest(&[key.into()])),
            Self::HtmlEscaped => unnamed(unescaped(text)),
        }
    }
}

impl Key {
    /// The key for a request sent at this time.
    pub(crate) fn at(self, form: KeyForm, time: &str) -> Self {
        match form {
            KeyForm::AfterTimestamp => Self { bytes: Zeroizing::new([time.as_bytes(), &self.bytes].concat()), ..self },
            _ => self,
        }
    }
}

fn named(text: &[u8], key: impl FnOnce(&[u8], &[u8]) -> Vec<u8>) -> Result<Key, SecretError> {
    let colon = text.iter().position(|byte| *byte == b':').ok_or(SecretError::NotNamed)?;
    let (name, secret) = (&text[..colon], &text[colon + 1..]);
    if name.is_empty() || secret.is_empty() {
        return Err(SecretError::NotNamed);
    }
    let bytes = Zeroizing::new(key(name, secret));
    Ok(Key { bytes, name: Some(std::str::from_utf8(name).map_err(|_| SecretError::NotNamed)?.to_owned()) })
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    const ENTITIES: [(&str, &str); 5] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#039;", "'"), ("&amp;", "&")];
    match std::str::from_utf8(text) {
        Ok(text) => ENTITIES.iter().fold(text.to_owned(), |text, (entity, means)| text.replace(entity, means)).into(),
        Err(_) => text.to_vec(),
    }
}
