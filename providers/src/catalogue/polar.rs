//! Polar. Standard Webhooks, keyed with the secret's text.
//! <https://docs.polar.sh/integrate/webhooks/delivery>
//!
//! - The key is the secret as shown, even where it starts with `whsec_` or looks like base64.

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::standard_webhooks::SharedSecret;
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "polar",
    title: "Polar",
    docs: "https://docs.polar.sh/integrate/webhooks/delivery",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::shared(SharedSecret::Text)),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Disables an endpoint after 10 failed deliveries in a row. Holds later events back while an earlier one fails. Up to 10 attempts, with the id of the first.",
    samples: &[Sample {
        event: "order.paid",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","data":{"id":"{{object}}"},"type":"order.paid"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
