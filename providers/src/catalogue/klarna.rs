//! Klarna. HMAC-SHA256 of the body in hex. `Klarna-Signing-Key-Id` names the key; all of the source's secrets are tried.
//! <https://docs.klarna.com/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "klarna",
    title: "Klarna",
    docs: "https://docs.klarna.com/",
    scheme: Scheme::Signed(Signed::hex(Header("klarna-signature"))),
    delivery_id: &[Json("/metadata/event_id")],
    event_type: &[Json("/metadata/event_type")],
    ordering_key: &[Json("/payload/payment_request_id"), Json("/payload/order_id")],
    version: &[Json("/metadata/occurred_at")],
    retry_horizon: Duration::from_secs(12 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Retries for up to 12 hours. Older push notifications (KP, KCO) are unsigned and are not of this kind.",
    samples: &[Sample {
        event: "payment.request.state-change.completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"metadata":{"occurred_at":"{{now_rfc3339}}","event_type":"payment.request.state-change.completed","event_id":"{{id}}"},"payload":{"payment_request_id":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
