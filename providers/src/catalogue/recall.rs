//! Recall.ai. Standard Webhooks.
//! <https://docs.recall.ai/docs/authenticating-requests-from-recallai>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "recall",
    title: "Recall.ai",
    docs: "https://docs.recall.ai/docs/authenticating-requests-from-recallai",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["svix-", "webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/bot/id")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Until a workspace secret exists nothing is signed, and nothing is accepted. Older accounts send `svix-` headers.",
    samples: &[Sample {
        event: "bot.done",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"bot":{"id":"{{object}}"}},"event":"bot.done"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
