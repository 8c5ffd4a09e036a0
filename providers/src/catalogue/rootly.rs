//! Rootly. HMAC-SHA256 of time and body, with nothing between them.
//! <https://docs.rootly.com/configuration/webhooks>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "rootly",
    title: "Rootly",
    docs: "https://docs.rootly.com/configuration/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-rootly-signature", "v1"))
            .listing(Listing::TrimmedPairs(","))
            .signs(&[Part::Timestamp, Part::Body])
            .timestamp(Timestamp::seconds(Pair("x-rootly-signature", "t"))),
    ),
    delivery_id: &[Json("/event/id")],
    event_type: &[Json("/event/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated_at"), Json("/event/issued_at")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "A digit could move between the time and a body that starts with one; JSON objects do not.",
    samples: &[
        Sample {
            event: "incident.created",
            headers: &[("content-type", "application/json")],
            body: r#"{"event":{"id":"{{id}}","type":"incident.created","issued_at":"{{now_rfc3339}}"},"data":{"id":"{{object}}","title":"Checkout is slow","status":"started","severity":{"slug":"sev1"},"updated_at":"{{now_rfc3339}}"}}"#,
            object: "8a1f-7Yk2Nn5",
        },
        Sample {
            event: "incident.resolved",
            headers: &[("content-type", "application/json")],
            body: r#"{"event":{"id":"{{id}}","type":"incident.resolved","issued_at":"{{now_rfc3339}}"},"data":{"id":"{{object}}","title":"Checkout is slow","status":"resolved","updated_at":"{{now_rfc3339}}"}}"#,
            object: "8a1f-7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
