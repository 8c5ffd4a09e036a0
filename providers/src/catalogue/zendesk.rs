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
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/detail/id")],
    version: &[Json("/detail/updated_at")],
    ack_deadline: Duration::from_secs(12),
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body of a trigger is yours to shape: keep an id in it. A request may have no body. 409 is retried up to 3 times, a timeout up to 5.",
    samples: &[
        Sample {
            event: "zen:event-type:ticket.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/zendesk_ticket_created.json"),
            object: "4118",
        },
        Sample {
            event: "zen:event-type:ticket.status_changed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/zendesk_ticket_status_changed.json"),
            object: "4118",
        },
        Sample {
            event: "zen:event-type:user.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/zendesk_user_created.json"),
            object: "4118",
        },
    ],
    ..Provider::DEFAULT
};
