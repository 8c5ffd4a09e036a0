//! The functions that make signatures.

use std::borrow::Cow;

use super::hash::{Bytes, keccak256};
use super::key::Key;
use super::message::text;
use super::{Hash, PublicKey};
use crate::{Headers, Reject, Secret, SignError};

/// How a signature is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Algorithm {
    /// An HMAC.
    Hmac(Hash),
    /// An HMAC with one of these hash functions, told by the length of the signature.
    HmacOf(&'static [Hash]),
    /// An HMAC whose hash function stands before the signature: `sha256=…`. Only those listed count.
    HmacLabelled(&'static [(&'static str, Hash)]),
    /// An HMAC whose hash function is named in a header. Only those listed count.
    HmacNamedIn(&'static str, &'static [(&'static str, Hash)]),
    /// The hash itself, of one of these functions, over parts among which the key is.
    Plain(&'static [Hash]),
    /// The same with Ethereum's Keccak-256.
    PlainKeccak256,
    /// A public-key signature; the secret is the public key.
    PublicKey(PublicKey),
}

/// One signature, decoded, with the key and the hash function it names.
pub(super) struct Candidate {
    pub(super) key_name: Option<String>,
    pub(super) hash: Option<Hash>,
    pub(super) bytes: Bytes,
}

impl Algorithm {
    /// The hash function that a header names.
    pub(super) fn named(self, headers: &Headers) -> Result<Option<Hash>, Reject> {
        let Self::HmacNamedIn(header, hashes) = self else { return Ok(None) };
        let name = text(headers.single(header)?)?.ok_or(Reject::SignatureMissing)?;
        let hash = hashes.iter().find(|(known, _)| *known == name).ok_or(Reject::SignatureMalformed)?;
        Ok(Some(hash.1))
    }

    /// The hash function of a signature; the inner `None`: one that needs no telling. `None`: it is of none that counts.
    pub(super) fn hash_of(self, candidate: &Candidate) -> Option<Option<Hash>> {
        let sized = |hashes: &[Hash]| hashes.iter().find(|hash| hash.size() == candidate.bytes.len()).copied();
        match self {
            Self::Hmac(hash) => Some(Some(hash)),
            Self::HmacOf(hashes) | Self::Plain(hashes) => sized(hashes).map(Some),
            Self::HmacLabelled(_) | Self::HmacNamedIn(..) => candidate.hash.map(Some),
            Self::PlainKeccak256 => Some(None),
            Self::PublicKey(_) => None,
        }
    }

    /// What the signature should be.
    pub(super) fn expected(self, hash: Option<Hash>, key: &Key, message: &[Cow<'_, [u8]>]) -> Bytes {
        match (self, hash) {
            (Self::Plain(_), Some(hash)) => hash.digest(message),
            (_, Some(hash)) => key.mac(hash, message),
            (_, None) => keccak256(message),
        }
    }

    /// What stands before the signature to name its hash function, and the signature.
    pub(super) fn sign(
        self,
        secret: &Secret,
        key: &[u8],
        message: &[Cow<'_, [u8]>],
    ) -> Result<(String, Bytes), SignError> {
        let unlabelled = |bytes| Ok((String::new(), bytes));
        match self {
            Self::Hmac(hash) => unlabelled(hash.hmac(key, message)),
            Self::HmacOf([hash, ..]) | Self::HmacNamedIn(_, [(_, hash), ..]) => unlabelled(hash.hmac(key, message)),
            Self::HmacLabelled([(label, hash), ..]) => Ok((format!("{label}="), hash.hmac(key, message))),
            Self::Plain([hash, ..]) => unlabelled(hash.digest(message)),
            Self::PlainKeccak256 => unlabelled(keccak256(message)),
            Self::PublicKey(kind) => unlabelled(Bytes::from_vec(kind.sign(secret, &message.concat())?)),
            Self::HmacOf([]) | Self::HmacNamedIn(_, []) | Self::HmacLabelled([]) | Self::Plain([]) => {
                Err(SignError::NotSignable)
            }
        }
    }
}
