//! Any sender of Standard Webhooks: id, timestamp and signature in `webhook-…` headers.
//! <https://www.standardwebhooks.com>
//!
//! - Secrets: `whsec_…` (base64, shared) or `whpk_…` (Ed25519, public). The prefix of a shared secret may be missing.
//! - The header may list several signatures, of several versions; one that matches is enough.
//! - The id stays the same over retries, the timestamp does not.

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "standard-webhooks",
    title: "Standard Webhooks",
    docs: "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(15),
    // The suggested schedule ends about three days after the event.
    retry_horizon: Duration::from_secs(4 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "A shared secret is base64: it is decoded, unlike Stripe's of the same prefix. 410 makes the sender disable the endpoint.",
    samples: &[
        Sample {
            event: "user.updated",
            headers: HEADERS,
            body: include_str!("../samples/standard_webhooks_user_updated.json"),
            object: "usr_7Yk2Nn5",
        },
        Sample {
            event: "order.completed",
            headers: HEADERS,
            body: include_str!("../samples/standard_webhooks_order_completed.json"),
            object: "ord_3Qp8Lm1",
        },
    ],
    ..Provider::DEFAULT
};

const HEADERS: &[(&str, &str)] = &[("content-type", "application/json")];
