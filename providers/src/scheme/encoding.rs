//! How signatures are written as text.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
use smallvec::smallvec;

use super::hash::Bytes;

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Encoding {
    /// Lower-case hex.
    Hex,
    /// Upper-case hex.
    #[serde(skip)]
    HexUpper,
    /// Hex in either case, where the provider's own library takes both. Written in lower case.
    #[serde(skip)]
    HexAnyCase,
    /// Base64, standard alphabet, padded.
    Base64,
    /// Base64, URL alphabet, padded or not.
    Base64Url,
    /// Base64, URL alphabet, never padded.
    #[serde(skip)]
    Base64UrlUnpadded,
}

impl Encoding {
    pub(crate) fn decode(self, text: &str) -> Option<Bytes> {
        let hex = |decode: fn(&str, &mut [u8]) -> bool| {
            let mut bytes: Bytes = smallvec![0; text.len() / 2];
            decode(text, &mut bytes).then_some(bytes)
        };
        let decoded = match self {
            Self::Hex => hex(|text, bytes| base16ct::lower::decode(text, bytes).is_ok()),
            Self::HexUpper => hex(|text, bytes| base16ct::upper::decode(text, bytes).is_ok()),
            Self::HexAnyCase => hex(|text, bytes| base16ct::mixed::decode(text, bytes).is_ok()),
            Self::Base64 => BASE64_STANDARD.decode(text).ok().map(Bytes::from_vec),
            Self::Base64Url => {
                BASE64_URL_SAFE.decode(text).or_else(|_| BASE64_URL_SAFE_NO_PAD.decode(text)).ok().map(Bytes::from_vec)
            }
            Self::Base64UrlUnpadded => BASE64_URL_SAFE_NO_PAD.decode(text).ok().map(Bytes::from_vec),
        };
        decoded.filter(|bytes| !bytes.is_empty())
    }

    pub(crate) fn encode(self, bytes: &[u8]) -> String {
        match self {
            Self::Hex | Self::HexAnyCase => hex::encode(bytes),
            Self::HexUpper => hex::encode_upper(bytes),
            Self::Base64 => BASE64_STANDARD.encode(bytes),
            Self::Base64Url => BASE64_URL_SAFE.encode(bytes),
            Self::Base64UrlUnpadded => BASE64_URL_SAFE_NO_PAD.encode(bytes),
        }
    }
}
