//! Secrets: never empty, never printed, wiped when dropped.

use std::sync::{Arc, OnceLock};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::scheme::{Key, KeyForm};

/// A shared secret or key, exactly as the provider shows it.
///
/// An HMAC under an empty key can be computed by anybody, so an empty or blank secret cannot be made.
#[derive(Clone)]
pub struct Secret {
    text: Zeroizing<Vec<u8>>,
    /// What it means as a key, once it was needed: decoding and preparing it for every request costs a fifth of verifying one.
    kept: OnceLock<Arc<(KeyForm, Key)>>,
}

/// Why a text is not usable as a secret. Never holds the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// Nothing at all.
    #[error("the secret is empty: anybody could sign with it. Set it to the value the provider shows")]
    Empty,
    /// Only white space.
    #[error("the secret is blank: anybody could guess it. Set it to the value the provider shows")]
    Blank,
    /// Ends in a line break, as a file written by an editor or `echo` does.
    #[error(
        "the secret ends in a newline, which would be part of the key: write it without one (printf '%s' instead of echo)"
    )]
    TrailingNewline,
    /// Starts or ends with white space.
    #[error("the secret has white space around it, which would be part of the key: remove it")]
    SurroundingWhitespace,
    /// A base64 key that does not decode.
    #[error("the secret is not valid base64 after its prefix: copy the whole value, including any '=' at the end")]
    NotBase64,
    /// A base64 key that decodes to nothing.
    #[error("the secret holds no key after its prefix: copy the whole value")]
    NoKey,
    /// A hex key that does not decode.
    #[error("the secret is not valid hex: copy the whole value")]
    NotHex,
    /// A secret whose name is missing.
    #[error("the secret has no name: write it as NAME:SECRET, with the name or id the provider shows beside it")]
    NotNamed,
    /// Not a public key of the kind this provider signs with.
    #[error("this is not the provider's public key: paste it as shown, as PEM, base64 or hex")]
    NotPublicKey,
    /// A verify token in the place of a key.
    #[error("`verify:` marks the token of a handshake, which is no key")]
    VerifyToken,
    /// Not an SNS topic.
    #[error(
        "write the topic's ARN, arn:aws:sns:REGION:ACCOUNT:TOPIC: AWS signs for everybody's topics, only yours may come in"
    )]
    NotTopic,
    /// Not a PayPal webhook id.
    #[error("write the webhook's id, as PayPal shows it beside the webhook's URL: letters and digits")]
    NotWebhookId,
    /// Not the account Google pushes as.
    #[error(
        "write the service account that the subscription pushes as, and its audience if it is not this URL: EMAIL AUDIENCE"
    )]
    NotPushAccount,
    /// Neither API credentials nor a key.
    #[error("write the API credentials that the key is fetched with, CLIENT_ID:SECRET, or the provider's key itself")]
    NotCredentials,
    /// An Ed25519 key of another length or off the curve.
    #[error("the key is not an Ed25519 key: whpk_ takes the base64 of 32 bytes, whsk_ of 64 (or a seed of 32)")]
    NotEd25519,
}

impl Secret {
    /// Takes a secret as text or bytes. Refuses an empty or blank one.
    pub fn new(secret: impl Into<Vec<u8>>) -> Result<Self, SecretError> {
        let secret = Zeroizing::new(secret.into());
        if secret.is_empty() {
            return Err(SecretError::Empty);
        }
        if secret.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0) {
            return Err(SecretError::Blank);
        }
        Ok(Self { text: secret, kept: OnceLock::new() })
    }

    /// The bytes, for whoever stores them sealed. Every call is a place where they can leak.
    pub fn expose(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.text
    }

    pub(crate) fn kept_key(&self) -> Option<&(KeyForm, Key)> {
        self.kept.get().map(AsRef::as_ref)
    }

    /// Keeps this key, unless another was kept meanwhile: the one that is kept.
    pub(crate) fn keep_key(&self, form: KeyForm, key: Key) -> &(KeyForm, Key) {
        self.kept.get_or_init(|| Arc::new((form, key)))
    }

    /// What is behind `verify:`: a token that only handshakes compare. It travels in URLs, so it must never become a key.
    pub(crate) fn verify_token(&self) -> Option<&[u8]> {
        self.text.strip_prefix(b"verify:").filter(|token| !token.is_empty())
    }

    /// White space at the ends is legal in a key and always a mistake in practice: worth an error where configuration is read.
    pub(crate) fn check_ends(&self) -> Result<(), SecretError> {
        match (self.text.first(), self.text.last()) {
            (_, Some(b'\n' | b'\r')) => Err(SecretError::TrailingNewline),
            (Some(first), Some(last)) if first.is_ascii_whitespace() || last.is_ascii_whitespace() => {
                Err(SecretError::SurroundingWhitespace)
            }
            _ => Ok(()),
        }
    }
}

/// In constant time, so that comparing is safe wherever somebody does.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.text.ct_eq(&other.text).into()
    }
}

impl Eq for Secret {}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(redacted)")
    }
}
