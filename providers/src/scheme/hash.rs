//! Hash functions, keyed and plain.

use std::borrow::Cow;

use ::hmac::{Hmac as Mac, KeyInit};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};
use sha3::Keccak256;
use smallvec::SmallVec;

/// A signature or the hash of something, for which no memory is asked unless it is a public key's.
pub(crate) type Bytes = SmallVec<[u8; 64]>;

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

    /// For one message; a key that has more is worth preparing: [`Keyed`].
    pub(crate) fn hmac(self, key: &[u8], message: &[Cow<'_, [u8]>]) -> Bytes {
        Keyed::new(self, key).map(|keyed| keyed.mac(message)).unwrap_or_default()
    }

    pub(crate) fn digest(self, message: &[Cow<'_, [u8]>]) -> Bytes {
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
pub(crate) fn keccak256(message: &[Cow<'_, [u8]>]) -> Bytes {
    digest::<Keccak256>(message)
}

/// A hash function under a key that was taken in already, which costs as much as hashing two blocks more. As secret as
/// the key, and wiped when dropped, as every copy is.
pub(crate) enum Keyed {
    Md5(Mac<Md5>),
    Sha1(Mac<Sha1>),
    Sha256(Mac<Sha256>),
    Sha384(Mac<Sha384>),
    Sha512(Mac<Sha512>),
}

impl Keyed {
    /// An HMAC key may have any length, so there is always one.
    pub(crate) fn new(hash: Hash, key: &[u8]) -> Option<Self> {
        Some(match hash {
            Hash::Md5 => Self::Md5(Mac::new_from_slice(key).ok()?),
            Hash::Sha1 => Self::Sha1(Mac::new_from_slice(key).ok()?),
            Hash::Sha256 => Self::Sha256(Mac::new_from_slice(key).ok()?),
            Hash::Sha384 => Self::Sha384(Mac::new_from_slice(key).ok()?),
            Hash::Sha512 => Self::Sha512(Mac::new_from_slice(key).ok()?),
        })
    }

    pub(crate) fn hash(&self) -> Hash {
        match self {
            Self::Md5(_) => Hash::Md5,
            Self::Sha1(_) => Hash::Sha1,
            Self::Sha256(_) => Hash::Sha256,
            Self::Sha384(_) => Hash::Sha384,
            Self::Sha512(_) => Hash::Sha512,
        }
    }

    pub(crate) fn mac(&self, message: &[Cow<'_, [u8]>]) -> Bytes {
        match self {
            Self::Md5(mac) => finish(mac.clone(), message),
            Self::Sha1(mac) => finish(mac.clone(), message),
            Self::Sha256(mac) => finish(mac.clone(), message),
            Self::Sha384(mac) => finish(mac.clone(), message),
            Self::Sha512(mac) => finish(mac.clone(), message),
        }
    }
}

fn finish(mut mac: impl ::hmac::Mac, message: &[Cow<'_, [u8]>]) -> Bytes {
    message.iter().for_each(|part| mac.update(part));
    Bytes::from_slice(&mac.finalize().into_bytes())
}

fn digest<D: Digest>(message: &[Cow<'_, [u8]>]) -> Bytes {
    let mut digest = D::new();
    message.iter().for_each(|part| digest.update(part));
    Bytes::from_slice(&digest.finalize())
}
