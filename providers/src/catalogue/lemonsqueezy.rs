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
    retry_horizon: Duration::from_secs(3600),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Only 200 counts as success; three more tries, seconds apart. Events have no id.",
    samples: &[Sample {
        event: "subscription_updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"attributes":{"updated_at":"{{now_rfc3339}}"},"type":"main","id":"{{object}}"},"meta":{"event_name":"subscription_updated"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
