//! Replicate. Standard Webhooks.
//! <https://replicate.com/docs/topics/webhooks/verify-webhook>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "replicate",
    title: "Replicate",
    docs: "https://replicate.com/docs/topics/webhooks/verify-webhook",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/status")],
    ordering_key: &[Json("/id")],
    version: &[Json("/completed_at")],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(10 * 60),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body is the prediction and its type is the status. Only the last webhook of a prediction is sent again, for about a minute.",
    samples: &[Sample {
        event: "succeeded",
        headers: &[("content-type", "application/json")],
        body: r#"{"completed_at":"{{now_rfc3339}}","id":"{{object}}","status":"succeeded"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
