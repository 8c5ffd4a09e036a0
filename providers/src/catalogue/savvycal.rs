//! SavvyCal. HMAC-SHA256 of the body in hex behind `sha256=`.
//! <https://developers.savvycal.com/webhooks>
//!
//! - SavvyCal's own example is in upper case, so both cases count.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "savvycal",
    title: "SavvyCal",
    docs: "https://developers.savvycal.com/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-savvycal-signature")).prefix("sha256=").encoding(Encoding::HexAnyCase),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/payload/id")],
    version: &[Json("/occurred_at")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Wants 200 quickly and retries with growing delays. That a retry has the same id is not documented.",
    samples: &[
        Sample {
            event: "event.created",
            headers: &[("content-type", "application/json")],
            body: r#"{"type":"event.created","id":"{{id}}","occurred_at":"{{now_rfc3339}}","payload":{"id":"{{object}}","state":"confirmed","summary":"Intro call","start_at":"2026-12-03T10:00:00Z"}}"#,
            object: "event_7Yk2Nn5",
        },
        Sample {
            event: "event.canceled",
            headers: &[("content-type", "application/json")],
            body: r#"{"type":"event.canceled","id":"{{id}}","occurred_at":"{{now_rfc3339}}","payload":{"id":"{{object}}","state":"canceled","cancel_reason":"Moved to next week"}}"#,
            object: "event_7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
