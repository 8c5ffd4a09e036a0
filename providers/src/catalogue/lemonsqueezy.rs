//! Lemon Squeezy. HMAC-SHA256 of the body in hex.
//! <https://docs.lemonsqueezy.com/help/webhooks/signing-requests>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "lemonsqueezy",
    title: "Lemon Squeezy",
    docs: "https://docs.lemonsqueezy.com/help/webhooks/signing-requests",
    scheme: Scheme::Signed(Signed::hex(Header("x-signature"))),
    event_type: &[Json("/meta/event_name")],
    ordering_key: &[Join("/", &[Json("/data/type"), Json("/data/id")])],
    version: &[Json("/data/attributes/updated_at")],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Only 200 counts as success; three more tries, seconds apart. Events have no id.",
    samples: &[
        Sample {
            event: "order_created",
            headers: &[("content-type", "application/json"), ("x-event-name", "order_created")],
            body: include_str!("../samples/lemonsqueezy_order_created.json"),
            object: "1180271",
        },
        Sample {
            event: "subscription_updated",
            headers: &[("content-type", "application/json"), ("x-event-name", "subscription_updated")],
            body: include_str!("../samples/lemonsqueezy_subscription_updated.json"),
            object: "28451",
        },
        Sample {
            event: "subscription_payment_success",
            headers: &[("content-type", "application/json"), ("x-event-name", "subscription_payment_success")],
            body: include_str!("../samples/lemonsqueezy_subscription_payment_success.json"),
            object: "441180",
        },
    ],
    ..Provider::DEFAULT
};
