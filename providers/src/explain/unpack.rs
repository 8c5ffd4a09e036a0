//! Compressed bodies.

use std::io::Read;

use flate2::read::{DeflateDecoder, GzDecoder, ZlibDecoder};

use crate::Request;

/// More than any provider sends; a few bytes can claim to be gigabytes.
const LARGEST: u64 = 16 << 20;

/// The body decompressed, if it is gzip or zlib, or said to be deflate, which anything could be.
pub(super) fn unpacked(request: &Request<'_>) -> Option<Vec<u8>> {
    let is_deflate = request.headers.iter().any(|line| line == ("content-encoding", b"deflate"));
    match request.body {
        [0x1f, 0x8b, ..] => read(GzDecoder::new(request.body)),
        [0x78, ..] => read(ZlibDecoder::new(request.body)),
        _ if is_deflate => read(DeflateDecoder::new(request.body)),
        _ => None,
    }
}

fn read(packed: impl Read) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let length = packed.take(LARGEST).read_to_end(&mut plain).ok()?;
    (length > 0 && plain.len() as u64 != LARGEST).then_some(plain)
}
