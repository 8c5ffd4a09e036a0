//! Moralis Streams. The Keccak-256 hash of body and secret.
//! <https://docs.moralis.com/streams-api/evm/webhook-security>
//!
//! - Ethereum's Keccak, not the SHA-3 of the standard, and not an HMAC.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Algorithm, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "moralis",
    title: "Moralis Streams",
    docs: "https://docs.moralis.com/streams-api/evm/webhook-security",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-signature"))
            .prefix("0x")
            .algorithm(Algorithm::PlainKeccak256)
            .signs(&[Part::Body, Part::Key]),
    ),
    event_type: &[Json("/tag")],
    ordering_key: &[Json("/streamId")],
    version: &[Json("/block/number")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Each block is sent twice: unconfirmed and confirmed.",
    samples: &[Sample {
        event: "transfers",
        headers: &[("content-type", "application/json")],
        body: r#"{"block":{"number":7},"streamId":"{{object}}","tag":"transfers"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
