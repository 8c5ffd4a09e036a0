//! Loops. Standard Webhooks.
//! <https://loops.so/docs/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "loops",
    title: "Loops",
    docs: "https://loops.so/docs/webhooks",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/eventName")],
    ordering_key: &[Json("/contactIdentity/id")],
    version: &[Json("/eventTime")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Read from an independent implementation.",
    samples: &[Sample {
        event: "email.delivered",
        headers: &[("content-type", "application/json")],
        body: r#"{"eventTime":{{now}},"contactIdentity":{"id":"{{object}}"},"eventName":"email.delivered"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
