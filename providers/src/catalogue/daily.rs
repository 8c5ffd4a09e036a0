//! Daily. HMAC-SHA256 of time and body in base64; the key is base64.
//! <https://docs.daily.co/reference/rest-api/webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "daily",
    title: "Daily",
    docs: "https://docs.daily.co/reference/rest-api/webhooks",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-webhook-signature"))
            .key(KeyForm::Base64)
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Header("x-webhook-timestamp"))),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/payload/room")],
    version: &[Json("/event_ts")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Sends a test request when a webhook is made, which must get 200.",
    samples: &[Sample {
        event: "meeting.started",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_ts":"{{now}}.5","payload":{"room":"{{object}}"},"type":"meeting.started","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
