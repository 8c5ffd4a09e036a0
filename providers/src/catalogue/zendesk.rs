//! Zendesk. HMAC-SHA256 of time (ISO 8601) and body in base64.
//! <https://developer.zendesk.com/documentation/webhooks/verifying/>
//!
//! - An old page has body and time the other way round: that order is refused.
//! - The secret looks like base64 and is not decoded.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "zendesk",
    title: "Zendesk",
    docs: "https://developer.zendesk.com/documentation/webhooks/verifying/",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-zendesk-webhook-signature"))
            .signs(&[Part::Timestamp, Part::Body])
            .timestamp(Timestamp::rfc3339(Header("x-zendesk-webhook-signature-timestamp"))),
    ),
    methods: &["POST", "PUT", "PATCH", "DELETE", "GET"],
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/detail/id")],
    version: &[Json("/detail/updated_at")],
    ack_deadline: Duration::from_secs(12),
    retry_horizon: Duration::from_secs(3600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body of a trigger's webhook is yours to shape: keep an id in it. A request may have no body.",
    samples: &[Sample {
        event: "zen:event-type:ticket.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"detail":{"updated_at":"{{now_rfc3339}}","id":"{{object}}"},"type":"zen:event-type:ticket.created","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
