//! Etsy. Standard Webhooks.
//! <https://developers.etsy.com/documentation/essentials/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "etsy",
    title: "Etsy",
    docs: "https://developers.etsy.com/documentation/essentials/webhooks/",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/shop_id")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Second-hand: read from an independent verifier registry.",
    samples: &[Sample {
        event: "order.paid",
        headers: &[("content-type", "application/json")],
        body: r#"{"shop_id":"{{object}}","event_type":"order.paid"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
