//! Xero. HMAC-SHA256 of the body in base64, keyed with the webhook key as text.
//! <https://developer.xero.com/documentation/guides/webhooks/overview/>
//!
//! - Before a webhook becomes active Xero sends requests without events, some wrongly signed on purpose: the right
//!   ones want 200, the wrong ones 401, neither with a body.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json, Root};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "xero",
    title: "Xero",
    docs: "https://developer.xero.com/documentation/guides/webhooks/overview/",
    scheme: Scheme::Signed(Signed::base64(Header("x-xero-signature"))),
    delivery_id: &[Join("/", &[Json("/tenantId"), Json("/resourceId"), Json("/eventType"), Json("/eventDateUtc")])],
    event_type: &[Join(".", &[Json("/eventCategory"), Json("/eventType")])],
    ordering_key: &[Join("/", &[Json("/tenantId"), Json("/resourceId")])],
    version: &[Root("/lastEventSequence")],
    events: Events::Each("/events"),
    handshake: &[Handshake {
        when: &[
            When::Is(Json("/firstEventSequence"), "0"),
            When::Is(Json("/lastEventSequence"), "0"),
            When::Absent(Json("/events/0/resourceId")),
        ],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    reply: Acknowledgement { status: 200, body: Some(("text/plain", "")) },
    refusal: Acknowledgement { status: 401, body: Some(("", "")) },
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The key looks like base64 and is not decoded. Answers, refusals too, must have no body and no cookies. Deactivates a webhook that failed for 24 hours. Events have no id of their own: object, kind and time make one.",
    samples: &[
        Sample {
            event: "INVOICE.UPDATE",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/xero_invoice_update.json"),
            object: "717f2bfc-c6d4-41fd",
        },
        Sample {
            event: "INVOICE.CREATE",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/xero_invoice_create.json"),
            object: "717f2bfc-c6d4-41fd",
        },
        Sample {
            event: "CONTACT.CREATE",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/xero_contact_create.json"),
            object: "717f2bfc-c6d4-41fd",
        },
    ],
    ..Provider::DEFAULT
};
