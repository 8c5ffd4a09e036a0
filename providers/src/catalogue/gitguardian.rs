//! GitGuardian. HMAC-SHA256 of the body in hex behind `sha256=`, keyed with the time and then the signature token.
//! <https://docs.gitguardian.com/platform/configure-alerting/notifiers-integrations/custom-webhook>
//!
//! - The time is signed by being part of the key.

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{KeyForm, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "gitguardian",
    title: "GitGuardian",
    docs: "https://docs.gitguardian.com/platform/configure-alerting/notifiers-integrations/custom-webhook",
    scheme: Scheme::Signed(
        Signed::hex(Header("gitguardian-signature"))
            .prefix("sha256=")
            .key(KeyForm::AfterTimestamp)
            .timestamp(Timestamp::seconds(Header("timestamp"))),
    ),
    event_type: &[Join(".", &[Json("/source"), Json("/action")]), Json("/action")],
    ordering_key: &[Json("/incident/id"), Json("/occurrence/id")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Events have no id. GitGuardian suggests a tolerance of a few seconds; here it is five minutes.",
    samples: &[Sample {
        event: "incident.incident_triggered",
        headers: &[("content-type", "application/json")],
        body: r#"{"source":"incident","timestamp":"{{now_rfc3339}}","action":"incident_triggered","message":"A new incident has been detected","incident":{"id":{{object}},"date":"{{now_rfc3339}}","detector":{"name":"slack_bot_token"},"severity":"high","status":"TRIGGERED"}}"#,
        object: "3759",
    }],
    ..Provider::DEFAULT
};
