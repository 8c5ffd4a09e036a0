//! `url_key`: the part of an ingest URL that nobody can guess.

use super::secret::Secret;

const SHORTEST: usize = 16;
const LONGEST: usize = 128;

/// Takes what stands in a path as it is, and cannot be guessed. The error never holds the key.
pub(super) fn check(setting: &str, key: Secret) -> Result<Secret, String> {
    let text = key.expose();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if !(SHORTEST..=LONGEST).contains(&text.len()) || !text.bytes().all(plain) {
        return Err(format!(
            "`{setting}` ({}) must be {SHORTEST} to {LONGEST} of A-Z, a-z, 0-9, `-`, `.`, `_` and `~`, since it stands in \
             a URL: `openssl rand -hex 16` makes one",
            key.reference()
        ));
    }
    Ok(key)
}
