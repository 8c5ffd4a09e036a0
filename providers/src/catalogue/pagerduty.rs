//! PagerDuty. HMAC-SHA256 of the body in hex, one `v1` a live secret.
//! <https://developer.pagerduty.com/docs/verifying-webhook-signatures>

use std::time::Duration;

use crate::locate::Locate::{Header, Json, Pair};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "pagerduty",
    title: "PagerDuty",
    docs: "https://developer.pagerduty.com/docs/verifying-webhook-signatures",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-pagerduty-signature", "v1")).encoding(Encoding::HexAnyCase).refuse_empty_body(),
    ),
    delivery_id: &[Header("x-webhook-id"), Json("/event/id")],
    event_type: &[Json("/event/event_type")],
    ordering_key: &[Json("/event/data/id")],
    version: &[Json("/event/occurred_at")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(2 * 86_400),
    max_body: Some(256 * 1024),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "A 4xx is not sent again, and three of them disable the webhook for a day. In order for each incident.",
    samples: &[Sample {
        event: "incident.triggered",
        headers: &[("content-type", "application/json")],
        body: r#"{"event":{"occurred_at":"{{now_rfc3339}}","data":{"id":"{{object}}"},"event_type":"incident.triggered"}}"#,
        object: "PGR7YK2",
    }],
    ..Provider::DEFAULT
};
