//! Fathom. Standard Webhooks.
//! <https://developers.fathom.ai/webhooks>
//!
//! - There is one kind of event, a finished recording, and the body does not name it.

use std::time::Duration;

use crate::locate::Locate::{Family, IfPresent, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "fathom",
    title: "Fathom",
    docs: "https://developers.fathom.ai/webhooks",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[IfPresent("/recording_id", "new-meeting-content-ready")],
    ordering_key: &[Json("/recording_id")],
    version: &[Json("/created_at")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The body is the meeting, with transcript, summary and action items as chosen for the webhook: it can be long.",
    samples: &[Sample {
        event: "new-meeting-content-ready",
        headers: &[("content-type", "application/json")],
        body: r#"{"recording_id":{{object}},"title":"Weekly review","meeting_title":"Weekly review","url":"https://fathom.video/calls/118","created_at":"{{now_rfc3339}}","default_summary":{"template_name":"general","markdown_formatted":"Two decisions."},"action_items":[]}"#,
        object: "123456789",
    }],
    ..Provider::DEFAULT
};
