//! Resend. Standard Webhooks under the names Svix gave the headers.
//! <https://resend.com/docs/dashboard/webhooks/introduction>
//!
//! - One family of headers counts, the one with the signature: names are never mixed.

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "resend",
    title: "Resend",
    docs: "https://resend.com/docs/dashboard/webhooks/introduction",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-", "svix-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/email_id")],
    version: &[Json("/created_at")],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Sent by Svix.",
    samples: &[
        Sample {
            event: "email.delivered",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/resend_email_delivered.json"),
            object: "56761188-7520-42d8",
        },
        Sample {
            event: "email.bounced",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/resend_email_bounced.json"),
            object: "56761188-7520-42d8",
        },
        Sample {
            event: "email.opened",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/resend_email_opened.json"),
            object: "56761188-7520-42d8",
        },
    ],
    ..Provider::DEFAULT
};
