//! PEM, with or without its line breaks: some providers print a key on one line.

use base64::Engine;
use zeroize::Zeroizing;

use super::key::KEYS;

/// Where a PEM block starts.
pub(super) const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";

/// The label and the bytes of the first block, which in a chain is the certificate itself.
pub(super) fn first(text: &str) -> Option<(&str, Zeroizing<Vec<u8>>)> {
    let (label, rest) = text.split_once(BEGIN)?.1.split_once(DASHES)?;
    let base64: Zeroizing<String> =
        Zeroizing::new(rest.split_once(DASHES)?.0.chars().filter(|character| !character.is_whitespace()).collect());
    Some((label, Zeroizing::new(KEYS.decode(base64.as_str()).ok()?)))
}
