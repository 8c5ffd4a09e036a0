//! Fireflies.ai. HMAC-SHA256 of the body in hex, behind `sha256=` (V2) or bare (V1).
//! <https://docs.fireflies.ai/graphql-api/webhooks-v2>
//!
//! - Without a signing secret nothing is signed, and nothing is accepted.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "fireflies",
    title: "Fireflies.ai",
    docs: "https://docs.fireflies.ai/graphql-api/webhooks-v2",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).optional_prefix("sha256=")),
    event_type: &[Json("/event"), Json("/eventType")],
    ordering_key: &[Json("/meeting_id"), Json("/meetingId")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id: the meeting and the type tell them apart. The secret is optional at Fireflies and required here.",
    samples: &[
        Sample {
            event: "meeting.transcribed",
            headers: &[("content-type", "application/json")],
            body: r#"{"event":"meeting.transcribed","timestamp":{{now}}000,"meeting_id":"{{object}}","client_reference_id":"crm-118"}"#,
            object: "01JZ7YK2NN5",
        },
        Sample {
            event: "meeting.summarized",
            headers: &[("content-type", "application/json")],
            body: r#"{"event":"meeting.summarized","timestamp":{{now}}000,"meeting_id":"{{object}}"}"#,
            object: "01JZ7YK2NN5",
        },
    ],
    ..Provider::DEFAULT
};
