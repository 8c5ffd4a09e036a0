//! PEM, with or without its line breaks: some providers print a key on one line.

use base64::Engine;
use zeroize::Zeroizing;

use super::key::KEYS;

/// Where a PEM block starts.
pub(super) const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";

/// What stands between its two lines.
pub(super) struct Block<'t> {
    pub(super) label: &'t str,
    pub(super) bytes: Zeroizing<Vec<u8>>,
}

/// Every block; none where one cannot be read.
pub(super) fn blocks(text: &str) -> Option<Vec<Block<'_>>> {
    text.split(BEGIN).skip(1).map(block).collect()
}

fn block(text: &str) -> Option<Block<'_>> {
    let (label, rest) = text.split_once(DASHES)?;
    let base64: Zeroizing<String> =
        Zeroizing::new(rest.split_once(DASHES)?.0.chars().filter(|character| !character.is_whitespace()).collect());
    Some(Block { label, bytes: Zeroizing::new(KEYS.decode(base64.as_str()).ok()?) })
}
