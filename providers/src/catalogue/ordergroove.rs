//! Ordergroove. HMAC-SHA256 of time and body; during the 24 hours of a rotation there are two `sig`.
//! <https://developer.ordergroove.com/data/webhook-verification>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "ordergroove",
    title: "Ordergroove",
    docs: "https://developer.ordergroove.com/data/webhook-verification",
    scheme: Scheme::Signed(
        Signed::hex(Pair("ordergroove-signature", "sig"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("ordergroove-signature", "ts"))),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/object/public_id")],
    version: &[Json("/created")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body is thin unless a snapshot is configured: fetch the object.",
    samples: &[Sample {
        event: "subscription.create",
        headers: &[("content-type", "application/json")],
        body: r#"{"id":"{{id}}","type":"subscription.create","created":{{now}},"data":{"object":{"type":"subscription","merchant":"m-118","public_id":"{{object}}","customer":"h183738","product":"SKU-7"}},"context":null,"snapshot":{}}"#,
        object: "zzzz9999yyyy8888xxxx",
    }],
    ..Provider::DEFAULT
};
