//! The right secret, read another way.

use std::fmt;

use base64::Engine;
use base64::alphabet::{Alphabet, STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use zeroize::Zeroizing;

use super::finding::Finding;
use super::trial::Trial;
use crate::Secret;

/// What the sender takes for the key, of the secret that is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretReading {
    /// The secret without the line break at its end.
    WithoutNewline,
    /// The secret without white space around it.
    Trimmed,
    /// The secret without quotes around it.
    Unquoted,
    /// The secret with a line break at its end.
    WithNewline,
    /// The text of the secret, where this provider decodes it.
    AsText,
    /// The bytes behind the hex.
    Hex,
    /// The bytes behind the base64.
    Base64,
    /// What stands behind `whsec_`.
    WithoutPrefix,
    /// The secret behind `whsec_`, which was left out.
    WithPrefix,
    /// What stands behind the colon.
    WithoutName,
    /// The secret in lower case.
    LowerCase,
    /// The secret in upper case.
    UpperCase,
    /// The secret with real line breaks for `\n`.
    LineBreaks,
}

type Key = Zeroizing<Vec<u8>>;

/// A secret that was live once.
pub(super) fn retired(trial: &Trial<'_>) -> Option<Finding> {
    let index = trial.refused.retired.iter().position(|secret| trial.proves_secret(secret))?;
    Some(Finding::RetiredSecret { index })
}

/// The first reading of a live secret that makes the signature right.
pub(super) fn readings(trial: &Trial<'_>) -> Option<Finding> {
    for (index, secret) in trial.refused.secrets.iter().enumerate() {
        let text = secret.bytes();
        // Where a secret is written NAME:SECRET, only what is behind the colon may have been misread.
        let colon = text.iter().position(|byte| *byte == b':').map_or(0, |colon| colon + 1);
        for start in if colon == 0 { vec![0] } else { vec![0, colon] } {
            let (name, text) = text.split_at(start);
            let found =
                keys(text).into_iter().find(|(_, key)| written(name, key).any(|secret| trial.proves_secret(&secret)));
            if let Some((reading, _)) = found {
                return Some(Finding::Secret { index, reading });
            }
        }
    }
    None
}

/// Keys that this text may stand for.
fn keys(text: &[u8]) -> Vec<(SecretReading, Key)> {
    let trimmed = text.trim_ascii();
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    let quote = |quote: &[u8]| trimmed.strip_prefix(quote)?.strip_suffix(quote);
    let bare = trimmed.strip_prefix(b"whsec_");
    let kept = |bytes: &[u8]| Some(bytes.to_vec());
    let base64 = |text: &[u8]| {
        let engine = |alphabet: &Alphabet| {
            let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
            GeneralPurpose::new(alphabet, config.with_decode_allow_trailing_bits(true))
        };
        [STANDARD, URL_SAFE].iter().find_map(|alphabet| engine(alphabet).decode(text).ok())
    };
    let readings = [
        (SecretReading::WithoutNewline, kept(&text[..end])),
        (SecretReading::Trimmed, kept(trimmed)),
        (SecretReading::Unquoted, quote(b"\"").or(quote(b"'")).and_then(kept)),
        (SecretReading::AsText, kept(text)),
        (SecretReading::WithoutPrefix, bare.and_then(kept)),
        (SecretReading::WithPrefix, Some([b"whsec_", trimmed].concat()).filter(|_| bare.is_none())),
        (SecretReading::Hex, hex::decode(trimmed).ok()),
        (SecretReading::Base64, base64(bare.unwrap_or(trimmed))),
        (SecretReading::WithNewline, Some([text, b"\n"].concat())),
        (SecretReading::WithNewline, Some([text, b"\r\n"].concat())),
        (SecretReading::WithoutName, trimmed.split(|byte| *byte == b':').nth(1).and_then(kept)),
        (SecretReading::LowerCase, kept(&text.to_ascii_lowercase())),
        (SecretReading::UpperCase, kept(&text.to_ascii_uppercase())),
        (SecretReading::LineBreaks, real_line_breaks(text)),
    ];
    let found = readings.into_iter().filter_map(|(reading, key)| Some((reading, Zeroizing::new(key?))));
    found.filter(|(reading, key)| *reading == SecretReading::AsText || **key != text).collect()
}

fn real_line_breaks(text: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    text.contains("\\n").then(|| text.replace("\\n", "\n").into_bytes())
}

/// Secrets that mean this key, to providers that decode theirs and those that do not.
fn written<'k>(name: &'k [u8], key: &'k [u8]) -> impl Iterator<Item = Secret> + use<'k> {
    let secret = |text: &[u8]| Secret::new([name, text].concat()).ok();
    let base64 = Zeroizing::new(BASE64_STANDARD.encode(key));
    let hex = Zeroizing::new(hex::encode(key));
    [secret(key), secret(hex.as_bytes()), secret(base64.as_bytes()), secret(&[b"whsec_", base64.as_bytes()].concat())]
        .into_iter()
        .flatten()
}

impl fmt::Display for SecretReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WithoutNewline => "without the line break at its end: remove it (printf '%s' instead of echo)",
            Self::Trimmed => "without the white space around it: remove it",
            Self::Unquoted => "without the quotes around it: remove them",
            Self::WithNewline => {
                "with a line break at its end, which the sender has in its configuration: remove it there"
            }
            Self::AsText => {
                "as text, where this provider's secrets are decoded: check that the source has the right provider"
            }
            Self::Hex => {
                "decoded from hex: the sender uses the bytes behind it; check that the source has the right provider"
            }
            Self::Base64 => {
                "decoded from base64: the sender uses the bytes behind it; check that the source has the right provider"
            }
            Self::WithoutPrefix => "without whsec_: check that the source has the right provider, or remove the prefix",
            Self::WithPrefix => "with whsec_ before it: copy the whole value, prefix included",
            Self::WithoutName => "without the name and colon before it: remove them",
            Self::LowerCase => "in lower case: copy the value exactly",
            Self::UpperCase => "in upper case: copy the value exactly",
            Self::LineBreaks => "with real line breaks where it has backslash and n: write the key over several lines",
        })
    }
}
