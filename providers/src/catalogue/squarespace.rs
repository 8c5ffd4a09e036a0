//! Squarespace. HMAC-SHA256 of the body in hex; the key is hex.
//! <https://developers.squarespace.com/commerce-apis/webhook-subscriptions-overview>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "squarespace",
    title: "Squarespace",
    docs: "https://developers.squarespace.com/commerce-apis/webhook-subscriptions-overview",
    scheme: Scheme::Signed(Signed::hex(Header("squarespace-signature")).key(KeyForm::Hex)),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/topic")],
    ordering_key: &[Json("/data/orderId")],
    version: &[Json("/createdOn")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The secret is hex and decoded before use.",
    samples: &[Sample {
        event: "order.create",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdOn":"{{now_rfc3339}}","data":{"orderId":"{{object}}"},"topic":"order.create","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
