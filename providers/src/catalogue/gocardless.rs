//! GoCardless. HMAC-SHA256 of the body in hex.
//! <https://developer.gocardless.com/api-reference/#webhooks-overview>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "gocardless",
    title: "GoCardless",
    docs: "https://developer.gocardless.com/api-reference/#webhooks-overview",
    scheme: Scheme::Signed(Signed::hex(Header("webhook-signature"))),
    delivery_id: &[Json("/id")],
    event_type: &[Join(".", &[Json("/resource_type"), Json("/action")])],
    ordering_key: &[
        Json("/links/payment"),
        Json("/links/mandate"),
        Json("/links/subscription"),
        Json("/links/payout"),
        Json("/links/refund"),
        Json("/links/billing_request"),
    ],
    version: &[Json("/created_at")],
    events: Events::Each("/events"),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Up to some 250 events a request, in no promised order. Sends again on request too, with the same ids.",
    samples: &[Sample {
        event: "payments.confirmed",
        headers: &[("content-type", "application/json")],
        body: r#"{"events":[{"created_at":"{{now_rfc3339}}","links":{"payment":"{{object}}"},"resource_type":"payments","action":"confirmed","id":"{{id}}"}]}"#,
        object: "PM007YK2NN5",
    }],
    ..Provider::DEFAULT
};
