//! Compressed bodies.

use std::io::Read;

use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// More than any provider sends; a few bytes can claim to be gigabytes.
const LARGEST: u64 = 16 << 20;

/// The body decompressed, if it is gzip, zlib or raw deflate.
pub(super) fn unpacked(body: &[u8]) -> Option<Vec<u8>> {
    match body {
        [0x1f, 0x8b, ..] => read(GzDecoder::new(body)),
        [0x78, ..] => read(ZlibDecoder::new(body)),
        _ => read(DeflateDecoder::new(body)),
    }
}

fn read(packed: impl Read) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let length = packed.take(LARGEST).read_to_end(&mut plain).ok()?;
    (length > 0 && plain.len() as u64 != LARGEST).then_some(plain)
}
