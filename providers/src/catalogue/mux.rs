//! Mux. HMAC-SHA256 of time and body, one `v1` a live secret.
//! <https://www.mux.com/docs/core/verify-webhook-signatures>
//!
//! - Mux' own library accepts any future time; a day ahead is allowed here.

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "mux",
    title: "Mux",
    docs: "https://www.mux.com/docs/core/verify-webhook-signatures",
    scheme: Scheme::Signed(
        Signed::hex(Pair("mux-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("mux-signature", "t")).ahead(86_400)),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/object/id")],
    version: &[Json("/created_at")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Events may come in any order.",
    samples: &[Sample {
        event: "video.asset.ready",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","object":{"id":"{{object}}"},"type":"video.asset.ready","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
