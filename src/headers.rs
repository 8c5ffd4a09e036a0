//! Received headers as one `bytea`: length-prefixed pairs, in order, value bytes as they came.
//!
//! Not `jsonb`: a header value is bytes, names repeat, and order is part of what was received.

use hookgate_providers::Headers;

/// Writes each name and value behind its length (u32, little endian).
pub(crate) fn encode(headers: &Headers) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    for (name, value) in headers.iter() {
        for part in [name.as_bytes(), value] {
            out.extend_from_slice(&(part.len() as u32).to_le_bytes());
            out.extend_from_slice(part);
        }
    }
    out
}

/// Reads what [`encode`] wrote; stops at the first damage, so that a row can always be shown.
pub(crate) fn decode(mut bytes: &[u8]) -> Headers {
    let mut headers = Headers::new();
    while let Some((name, after_name)) = part(bytes) {
        let Some((value, rest)) = part(after_name) else {
            break;
        };
        headers.push(&String::from_utf8_lossy(name), value);
        bytes = rest;
    }
    headers
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(pairs in proptest::collection::vec(("[a-z-]{1,20}", any::<Vec<u8>>()), 0..20)) {
            let mut headers = Headers::new();
            for (name, value) in &pairs {
                headers.push(name, value.as_slice());
            }
            let back = decode(&encode(&headers));
            prop_assert!(headers.iter().eq(back.iter()));
        }

        #[test]
        fn damage_never_panics(bytes in any::<Vec<u8>>()) {
            decode(&bytes);
        }
    }
}
