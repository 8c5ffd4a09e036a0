//! Tenderly. HMAC-SHA256 of the body and then the `Date` header.
//! <https://docs.tenderly.co/alerts/webhooks>
//!
//! - A proxy that rewrites `Date` breaks it.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp, Unit};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "tenderly",
    title: "Tenderly",
    docs: "https://docs.tenderly.co/alerts/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-tenderly-signature")).signs(&[Part::Body, Part::Timestamp]).timestamp(Timestamp {
            at: Header("date"),
            unit: Unit::Rfc2822,
            tolerance_s: 300,
            ahead_s: 0,
        }),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/transaction/hash")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The time is the standard `Date` header, which some proxies replace.",
    samples: &[Sample {
        event: "ALERT",
        headers: &[("content-type", "application/json")],
        body: r#"{"transaction":{"hash":"{{object}}"},"event_type":"ALERT","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
