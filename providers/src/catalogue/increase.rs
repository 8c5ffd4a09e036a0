//! Increase. HMAC-SHA256 of time (ISO 8601) and body.
//! <https://increase.com/documentation/webhooks>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "increase",
    title: "Increase",
    docs: "https://increase.com/documentation/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("increase-webhook-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::rfc3339(Pair("increase-webhook-signature", "t"))),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/category")],
    ordering_key: &[Json("/associated_object_id")],
    version: &[Json("/created_at")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body is thin: fetch the object.",
    samples: &[Sample {
        event: "account.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","associated_object_id":"{{object}}","category":"account.created","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
