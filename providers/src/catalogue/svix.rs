//! Svix. Standard Webhooks under the names Svix gave the headers.
//! <https://docs.svix.com/receiving/verifying-payloads/how>
//!
//! - One family of headers counts, the one with the signature: names are never mixed.

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "svix",
    title: "Svix",
    docs: "https://docs.svix.com/receiving/verifying-payloads/how",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-", "svix-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Many products send with it; any of them that has no provider of its own here can use this one.",
    samples: &[Sample {
        event: "user.updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","data":{"id":"{{object}}"},"type":"user.updated"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
