//! incident.io. Standard Webhooks, sent by Svix.
//! <https://docs.incident.io/integrations/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "incident-io",
    title: "incident.io",
    docs: "https://docs.incident.io/integrations/webhooks",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-", "svix-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[
        Json("/public_incident.incident_created_v2/id"),
        Json("/public_incident.incident_updated_v2/id"),
        Json("/public_incident.incident_status_updated_v2/incident/id"),
        Json("/private_incident.incident_created_v2/id"),
        Json("/private_incident.incident_updated_v2/id"),
    ],
    version: &[
        Json("/public_incident.incident_created_v2/updated_at"),
        Json("/public_incident.incident_updated_v2/updated_at"),
    ],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The event sits under a member named like its type. Resent for 24 hours; disabled after 5 days of failures. Private incidents carry ids only.",
    samples: &[Sample {
        event: "public_incident.incident_created_v2",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_type":"public_incident.incident_created_v2","public_incident.incident_created_v2":{"id":"{{object}}","reference":"INC-118","name":"Checkout is slow","incident_status":{"category":"triage","name":"Triage"},"created_at":"{{now_rfc3339}}","updated_at":"{{now_rfc3339}}"}}"#,
        object: "01FDAG4SAP5TYPT98WGR2N7W91",
    }],
    ..Provider::DEFAULT
};
