//! Vercel. HMAC-SHA1 of the body in hex.
//! <https://vercel.com/docs/webhooks/webhooks-api>
//!
//! - Webhooks of an integration are signed with the integration's client secret.
//! - The timeout of 30 seconds and the retries for 24 hours are second-hand.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "vercel",
    title: "Vercel",
    docs: "https://vercel.com/docs/webhooks/webhooks-api",
    scheme: Scheme::Signed(Signed::hex(Header("x-vercel-signature")).hash(Hash::Sha1)),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/payload/deployment/id"), Json("/payload/project/id")],
    version: &[Json("/createdAt")],
    ack_deadline: Duration::from_secs(30),
    retry_horizon: Duration::from_secs(24 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "An integration's webhooks have another secret than an account's. Old requests can only be told from new ones by their id. Retries for up to 24 hours (second-hand).",
    samples: &[
        Sample {
            event: "deployment.succeeded",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/vercel_deployment_succeeded.json"),
            object: "dpl_7Yk2Nn5",
        },
        Sample {
            event: "deployment.error",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/vercel_deployment_error.json"),
            object: "dpl_7Yk2Nn5",
        },
        Sample {
            event: "project.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/vercel_project_created.json"),
            object: "prj_7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
