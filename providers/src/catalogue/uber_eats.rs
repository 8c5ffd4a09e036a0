//! Uber Eats (and other Uber products). HMAC-SHA256 of the body in hex, keyed with the client secret or signing key.
//! <https://developer.uber.com/docs/eats/guides/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "uber-eats",
    title: "Uber Eats",
    docs: "https://developer.uber.com/docs/eats/guides/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-uber-signature"))),
    delivery_id: &[Json("/event_id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/meta/resource_id"), Json("/resource_href")],
    version: &[Json("/event_time")],
    reply: Acknowledgement { status: 200, body: Some(("text/plain", "")) },
    retry_horizon: Duration::from_secs(60 * 60),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Wants 200 without a body. Seven attempts with doubling delays. An order has to be accepted through the API within 11.5 minutes whatever the answer here.",
    samples: &[
        Sample {
            event: "orders.notification",
            headers: &[("content-type", "application/json")],
            body: r#"{"event_id":"{{id}}","event_type":"orders.notification","event_time":{{now}},"meta":{"resource_id":"{{object}}","status":"pos","user_id":"9c2a-store-11"},"resource_href":"https://api.uber.com/v2/eats/order/{{object}}"}"#,
            object: "153dd7f1-339d-4619",
        },
        Sample {
            event: "orders.cancel",
            headers: &[("content-type", "application/json")],
            body: r#"{"event_id":"{{id}}","event_type":"orders.cancel","event_time":{{now}},"meta":{"resource_id":"{{object}}","status":"pos","user_id":"9c2a-store-11"},"resource_href":"https://api.uber.com/v2/eats/order/{{object}}"}"#,
            object: "153dd7f1-339d-4619",
        },
    ],
    ..Provider::DEFAULT
};
