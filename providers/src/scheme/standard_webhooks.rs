//! Standard Webhooks: `{id}.{timestamp}.{body}`, signed with HMAC-SHA256 (`v1`) or Ed25519 (`v1a`).
//!
//! <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>
//!
//! The kind of key decides which version counts: a `v1` signature is never checked with a public key nor a `v1a` with
//! a shared secret, since anybody could compute an HMAC keyed with a public key. An id with a dot is refused: its end
//! could be taken for the timestamp.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::key::KEYS;
use super::{Clock, Hash, MAX_SIGNATURES, Timestamp};
use crate::view::family_header;
use crate::{Headers, Locate, Reject, Request, Secret, SecretError, SignError, Unsigned};

/// The scheme; the header family (`webhook-`, `svix-`) is the provider's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandardWebhooks {
    /// How far the timestamp may be from our clock, in seconds, in both directions and inclusive.
    pub tolerance_s: u32,
    /// How a shared secret becomes a key.
    pub shared: SharedSecret,
}

/// How a shared secret becomes a key. The specification has one answer; some senders give another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SharedSecret {
    /// Base64 behind `whsec_`, which may be missing.
    Base64,
    /// The text itself, `whsec_` included if it is there.
    Text,
    /// Base64 behind `whsec_`; without it, the text itself.
    Base64IfPrefixed,
    /// One or more of `v1,whsec_` and base64, separated by `|`.
    VersionedList,
}

pub(crate) enum Key {
    Shared(Zeroizing<Vec<u8>>),
    Public(Box<VerifyingKey>),
    Signing(Box<SigningKey>),
}

impl Key {
    /// `whpk_…` is a public key, `whsk_…` a signing key, anything else (`whsec_…`, or without a prefix) a shared secret.
    pub(crate) fn of(secret: &Secret) -> Result<Self, SecretError> {
        let text = secret.bytes();
        let decode = |text: &[u8]| KEYS.decode(text).map(Zeroizing::new).map_err(|_| SecretError::NotBase64);
        if let Some(text) = text.strip_prefix(b"whpk_") {
            let bytes: [u8; 32] = decode(text)?.as_slice().try_into().map_err(|_| SecretError::NotEd25519)?;
            return VerifyingKey::from_bytes(&bytes)
                .map(|key| Self::Public(Box::new(key)))
                .map_err(|_| SecretError::NotEd25519);
        }
        if let Some(text) = text.strip_prefix(b"whsk_") {
            return signing_key(&decode(text)?).map(|key| Self::Signing(Box::new(key))).ok_or(SecretError::NotEd25519);
        }
        let key = decode(text.strip_prefix(b"whsec_").unwrap_or(text))?;
        if key.is_empty() { Err(SecretError::NoKey) } else { Ok(Self::Shared(key)) }
    }

    /// The keys of a secret: one, but for senders that put several in one text.
    fn all(secret: &Secret, shared: SharedSecret) -> Result<Vec<Self>, SecretError> {
        let text = secret.bytes();
        match shared {
            _ if secret.verify_token().is_some() => Err(SecretError::VerifyToken),
            SharedSecret::Text => Ok(vec![Self::Shared(Zeroizing::new(text.to_vec()))]),
            SharedSecret::Base64IfPrefixed if !text.starts_with(b"whsec_") => {
                Ok(vec![Self::Shared(Zeroizing::new(text.to_vec()))])
            }
            SharedSecret::VersionedList => {
                let listed = text.split(|byte| *byte == b'|').filter(|entry| !entry.is_empty());
                listed.map(|entry| Self::of(&Secret::new(entry.strip_prefix(b"v1,").unwrap_or(entry))?)).collect()
            }
            SharedSecret::Base64 | SharedSecret::Base64IfPrefixed => Ok(vec![Self::of(secret)?]),
        }
    }

    /// The version of signature this key makes.
    fn version(&self) -> &'static str {
        match self {
            Self::Shared(_) => "v1",
            Self::Public(_) | Self::Signing(_) => "v1a",
        }
    }

    fn verifies(&self, message: &[&[u8]], signatures: &[Vec<u8>]) -> bool {
        let public = match self {
            Self::Shared(key) => {
                let expected = sha256(key, message);
                return signatures.iter().any(|signature| bool::from(signature.ct_eq(&expected)));
            }
            Self::Public(key) => **key,
            Self::Signing(key) => key.verifying_key(),
        };
        let message = message.concat();
        let verifies = |signature: &Vec<u8>| {
            // Strict: refuses keys of small order and signatures that others could have altered.
            Signature::from_slice(signature).is_ok_and(|signature| public.verify_strict(&message, &signature).is_ok())
        };
        signatures.iter().any(verifies)
    }
}

/// The seed, with or without the public key it makes behind it.
fn signing_key(bytes: &[u8]) -> Option<SigningKey> {
    match bytes.len() {
        32 => Some(SigningKey::from_bytes(bytes.try_into().ok()?)),
        64 => SigningKey::from_keypair_bytes(bytes.try_into().ok()?).ok(),
        _ => None,
    }
}

impl StandardWebhooks {
    /// As the specification says, with the tolerance it suggests.
    pub const DEFAULT: Self = Self { tolerance_s: 300, shared: SharedSecret::Base64 };

    /// With a shared secret that means something else.
    pub const fn shared(shared: SharedSecret) -> Self {
        Self { shared, ..Self::DEFAULT }
    }

    pub(super) fn check_secret(&self, secret: &Secret) -> Result<(), SecretError> {
        Key::all(secret, self.shared).map(|_| ())
    }

    pub(super) fn check(
        &self,
        request: &Request<'_>,
        family: &str,
        secrets: &[Secret],
        clock: Clock,
    ) -> Result<usize, Reject> {
        let header = |name, missing, malformed| match family_header(request.headers, family, name)? {
            None | Some(b"") => Err(missing),
            Some(value) => std::str::from_utf8(value).map_err(|_| malformed),
        };
        let listed = header("signature", Reject::SignatureMissing, Reject::SignatureMalformed)?;
        let id = header("id", Reject::IdMissing, Reject::IdMalformed)?;
        let time = header("timestamp", Reject::TimestampMissing, Reject::TimestampMalformed)?;
        let timestamp = Timestamp { tolerance_s: self.tolerance_s, ..Timestamp::seconds(Locate::Family("timestamp")) };
        if id.contains('.') {
            return Err(Reject::IdMalformed);
        }
        if !timestamp.parses(time) {
            return Err(Reject::TimestampMalformed);
        }
        let signatures = signatures(listed)?;
        let message = [id.as_bytes(), b".", time.as_bytes(), b".", request.body];
        let secret = self.matching(&signatures, &message, secrets)?;
        timestamp.check(time, clock).map(|()| secret)
    }

    fn matching(&self, signatures: &[(&str, Vec<u8>)], message: &[&[u8]], secrets: &[Secret]) -> Result<usize, Reject> {
        let mut reason = Reject::SecretUnusable;
        for (index, secret) in secrets.iter().enumerate() {
            let Ok(keys) = Key::all(secret, self.shared) else { continue };
            reason = Reject::SignatureMismatch;
            for key in keys {
                let of_version = signatures.iter().filter(|(version, _)| *version == key.version());
                let candidates: Vec<Vec<u8>> = of_version.map(|(_, signature)| signature.clone()).collect();
                if !candidates.is_empty() && key.verifies(message, &candidates) {
                    return Ok(index);
                }
            }
        }
        Err(reason)
    }

    pub(super) fn sign(&self, unsigned: &Unsigned<'_>, family: &str, secret: &Secret) -> Result<Headers, SignError> {
        // A request that has an id keeps it.
        let id = match family_header(unsigned.headers, family, "id") {
            Ok(Some(id)) => std::str::from_utf8(id).map_err(|_| SignError::UnusableId)?,
            _ => unsigned.id,
        };
        if id.is_empty() || id.contains('.') {
            return Err(SignError::UnusableId);
        }
        let key = Key::all(secret, self.shared)?.into_iter().next().ok_or(SecretError::NoKey)?;
        let time = unsigned.now.to_string();
        let message = [id.as_bytes(), b".", time.as_bytes(), b".", unsigned.body];
        let signature = match &key {
            Key::Shared(key) => sha256(key, &message),
            Key::Signing(key) => key.sign(&message.concat()).to_bytes().to_vec(),
            Key::Public(_) => return Err(SignError::PublicKey),
        };
        let signature = format!("{},{}", key.version(), BASE64_STANDARD.encode(signature));
        let lines = [("id", id.to_owned()), ("timestamp", time), ("signature", signature)];
        Ok(lines.into_iter().map(|(name, value)| (format!("{family}{name}"), value)).collect())
    }
}

/// `(version, signature)` of each entry that is written as one; versions we do not know stay in and match no key.
fn signatures(listed: &str) -> Result<Vec<(&str, Vec<u8>)>, Reject> {
    let entries: Vec<&str> = listed.split(' ').filter(|entry| !entry.is_empty()).take(MAX_SIGNATURES + 1).collect();
    if entries.len() > MAX_SIGNATURES {
        return Err(Reject::TooManySignatures);
    }
    let versioned = entries.into_iter().filter_map(|entry| entry.split_once(','));
    let signatures: Vec<_> =
        versioned.filter_map(|(version, text)| Some((version, BASE64_STANDARD.decode(text).ok()?))).collect();
    if signatures.is_empty() { Err(Reject::SignatureMalformed) } else { Ok(signatures) }
}

fn sha256(key: &[u8], message: &[&[u8]]) -> Vec<u8> {
    let message: Vec<_> = message.iter().map(|part| Cow::Borrowed(*part)).collect();
    Hash::Sha256.hmac(key, &message).into_vec()
}
