//! Checkout.com. HMAC-SHA256 of the body in hex.
//! <https://www.checkout.com/docs/developer-resources/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "checkout-com",
    title: "Checkout.com",
    docs: "https://www.checkout.com/docs/developer-resources/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("cko-signature"))),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/created_on")],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Up to 8 retries over 30 hours, in no promised order. Some bodies are not valid JSON: the signature is of the bytes.",
    samples: &[Sample {
        event: "payment_captured",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_on":"{{now_rfc3339}}","data":{"id":"{{object}}"},"type":"payment_captured","id":"{{id}}"}"#,
        object: "pay_7yk2nn5",
    }],
    ..Provider::DEFAULT
};
