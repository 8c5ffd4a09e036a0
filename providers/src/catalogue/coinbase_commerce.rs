//! Coinbase Commerce. HMAC-SHA256 of the body in hex.
//! <https://docs.cdp.coinbase.com/commerce/introduction/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "coinbase-commerce",
    title: "Coinbase Commerce",
    docs: "https://docs.cdp.coinbase.com/commerce/introduction/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-cc-webhook-signature"))),
    delivery_id: &[Json("/event/id")],
    event_type: &[Json("/event/type")],
    ordering_key: &[Json("/event/data/code"), Json("/event/data/id")],
    version: &[Json("/event/created_at")],
    volatile: &["/id", "/attempt_number", "/scheduled_for"],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The document's own `id` is that of the attempt; the event's is inside. Only 200 counts as success.",
    samples: &[Sample {
        event: "charge:confirmed",
        headers: &[("content-type", "application/json")],
        body: r#"{"event":{"created_at":"{{now_rfc3339}}","data":{"code":"{{object}}"},"type":"charge:confirmed","id":"{{id}}"}}"#,
        object: "66BEOV2A",
    }],
    ..Provider::DEFAULT
};
