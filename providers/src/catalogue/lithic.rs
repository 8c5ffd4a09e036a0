//! Lithic. Standard Webhooks.
//! <https://docs.lithic.com/docs/events-api>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "lithic",
    title: "Lithic",
    docs: "https://docs.lithic.com/docs/events-api",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/token")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Only one secret a subscription.",
    samples: &[Sample {
        event: "card.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"token":"{{object}}","event_type":"card.created"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
