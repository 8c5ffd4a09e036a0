//! Clerk. Standard Webhooks under the names Svix gave the headers.
//! <https://clerk.com/docs/webhooks/overview>
//!
//! - One family of headers counts, the one with the signature: names are never mixed.

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "clerk",
    title: "Clerk",
    docs: "https://clerk.com/docs/webhooks/overview",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-", "svix-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated_at")],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Sent by Svix.",
    samples: &[
        Sample {
            event: "user.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clerk_user_created.json"),
            object: "user_29w83sxmDNGwOuEthce5gg56FcC",
        },
        Sample {
            event: "user.updated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clerk_user_updated.json"),
            object: "user_29w83sxmDNGwOuEthce5gg56FcC",
        },
        Sample {
            event: "session.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clerk_session_created.json"),
            object: "sess_7Yk2Nn5",
        },
        Sample {
            event: "organization.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clerk_organization_created.json"),
            object: "org_7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
