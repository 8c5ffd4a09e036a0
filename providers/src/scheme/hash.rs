//! Hash functions, keyed and plain.

use std::borrow::Cow;

use ::hmac::{Hmac as Mac, KeyInit};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::Keccak256;

/// A hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Hash {
    /// Only where a provider still uses it.
    #[serde(skip)]
    Md5,
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The length of its output in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    pub(crate) fn hmac(self, key: &[u8], message: &[Cow<'_, [u8]>]) -> Vec<u8> {
        match self {
            Self::Md5 => mac::<Mac<Md5>>(key, message),
            Self::Sha1 => mac::<Mac<Sha1>>(key, message),
            Self::Sha256 => mac::<Mac<Sha256>>(key, message),
            Self::Sha384 => mac::<Mac<Sha384>>(key, message),
            Self::Sha512 => mac::<Mac<Sha512>>(key, message),
        }
    }

    pub(crate) fn digest(self, message: &[Cow<'_, [u8]>]) -> Vec<u8> {
        match self {
            Self::Md5 => digest::<Md5>(message),
            Self::Sha1 => digest::<Sha1>(message),
            Self::Sha256 => digest::<Sha256>(message),
            Self::Sha384 => digest::<Sha384>(message),
            Self::Sha512 => digest::<Sha512>(message),
        }
    }
}

/// Keccak as Ethereum uses it, which is not the SHA-3 that became the standard.
pub(crate) fn keccak256(message: &[Cow<'_, [u8]>]) -> Vec<u8> {
    digest::<Keccak256>(message)
}

fn mac<M: ::hmac::Mac + KeyInit>(key: &[u8], message: &[Cow<'_, [u8]>]) -> Vec<u8> {
    // An HMAC key may have any length, so this never fails; no signature equals nothing.
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else {
        return Vec::new();
    };
    message.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

fn digest<D: Digest>(message: &[Cow<'_, [u8]>]) -> Vec<u8> {
    let mut digest = D::new();
    message.iter().for_each(|part| digest.update(part));
    digest.finalize().to_vec()
}
