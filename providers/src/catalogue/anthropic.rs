//! Anthropic. Standard Webhooks.
//! <https://platform.claude.com/docs/>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "anthropic",
    title: "Anthropic",
    docs: "https://platform.claude.com/docs/",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Json("/id"), Family("id")],
    event_type: &[Json("/data/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/created_at")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body is thin: fetch the object. Its own `type` is always \"event\".",
    samples: &[Sample {
        event: "session.status_idled",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","data":{"id":"{{object}}","type":"session.status_idled"},"id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
