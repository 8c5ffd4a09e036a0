//! OpenAI. Standard Webhooks.
//! <https://platform.openai.com/docs/guides/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::standard_webhooks::SharedSecret;
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "openai",
    title: "OpenAI",
    docs: "https://platform.openai.com/docs/guides/webhooks",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::shared(SharedSecret::Base64IfPrefixed)),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/created_at")],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "A secret without `whsec_` is used as text. Sends again for up to 72 hours.",
    samples: &[Sample {
        event: "response.completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":{{now}},"data":{"id":"{{object}}"},"type":"response.completed"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
