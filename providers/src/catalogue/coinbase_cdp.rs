//! Coinbase Developer Platform. Sent by Hook0: HMAC-SHA256 of time, the headers it names, and the body.
//! <https://docs.cdp.coinbase.com/onramp/core-features/webhooks>
//!
//! - `v1` also signs headers; where it is, the older `v0` beside it does not count.

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Encoding, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

const HEADER: &str = "x-hook0-signature";
const WITH_HEADERS: Signed = Signed::hex(Pair(HEADER, "v1"))
    .encoding(Encoding::HexAnyCase)
    .signs(&[
        Part::Timestamp,
        Part::Lit("."),
        Part::At(Pair(HEADER, "h")),
        Part::Lit("."),
        Part::ValuesNamedIn(HEADER, "h"),
        Part::Lit("."),
        Part::Body,
    ])
    .timestamp(Timestamp::seconds(Pair(HEADER, "t")));
const BODY_ONLY: Signed = Signed::hex(Pair(HEADER, "v0"))
    .encoding(Encoding::HexAnyCase)
    .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
    .timestamp(Timestamp::seconds(Pair(HEADER, "t")));

pub(super) const PROVIDER: Provider = Provider {
    name: "coinbase-cdp",
    title: "Coinbase Developer Platform",
    docs: "https://docs.cdp.coinbase.com/onramp/core-features/webhooks",
    scheme: Scheme::FirstCarried(&[Scheme::Signed(WITH_HEADERS), Scheme::Signed(BODY_ONLY)]),
    delivery_id: &[Json("/id"), Json("/eventId")],
    event_type: &[Json("/type"), Json("/eventType")],
    ordering_key: &[Json("/data/transactionHash"), Json("/transactionId")],
    version: &[Json("/createdAt")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The secret is in the metadata of the subscription. One event has one id, however often it is sent.",
    samples: &[Sample {
        event: "onchain.activity.detected",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdAt":"{{now_rfc3339}}","data":{"transactionHash":"{{object}}"},"type":"onchain.activity.detected","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
