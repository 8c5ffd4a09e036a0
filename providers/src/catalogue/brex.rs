//! Brex. Standard Webhooks.
//! <https://developer.brex.com/docs/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "brex",
    title: "Brex",
    docs: "https://developer.brex.com/docs/webhooks/",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/transfer_id")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The secret has no `whsec_` before it.",
    samples: &[Sample {
        event: "TRANSFER_PROCESSED",
        headers: &[("content-type", "application/json")],
        body: r#"{"transfer_id":"{{object}}","event_type":"TRANSFER_PROCESSED"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
