//! Square. HMAC-SHA256 of the URL as registered and the body, in base64.
//! <https://developer.squareup.com/docs/webhooks/step3validate>
//!
//! - The older `x-square-signature` (SHA-1) does not count.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "square",
    title: "Square",
    docs: "https://developer.squareup.com/docs/webhooks/step3validate",
    scheme: Scheme::Signed(Signed::base64(Header("x-square-hmacsha256-signature")).signs(&[Part::Url, Part::Body])),
    delivery_id: &[Json("/event_id")],
    event_type: &[Json("/type")],
    ordering_key: &[Join("/", &[Json("/merchant_id"), Json("/data/type"), Json("/data/id")])],
    version: &[Json("/created_at")],
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The URL is signed: it must be registered exactly as the source's public URL. Retries for 24 hours, with the same `event_id`.",
    samples: &[
        Sample {
            event: "payment.updated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/square_payment_updated.json"),
            object: "KkAkhdMsgzn59SM8A89WgKwekxLZY",
        },
        Sample {
            event: "order.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/square_order_created.json"),
            object: "eA3vssLHKJrv9H0IdJCM3gNqfdcZY",
        },
        Sample {
            event: "refund.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/square_refund_created.json"),
            object: "KkAkhdMsgzn59SM8A89WgKwekxLZY_p",
        },
    ],
    ..Provider::DEFAULT
};
