//! Linq. Standard Webhooks.
//! <https://apidocs.linqapp.com/>
//!
//! - Second-hand: the scheme and the fields were read from independent implementations.

use std::time::Duration;

use crate::locate::Locate::{Family, Json};
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "linq",
    title: "Linq",
    docs: "https://apidocs.linqapp.com/",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/data/chat/id"), Json("/data/chat_id")],
    version: &[Json("/created_at")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Second-hand: confirm with a test event before relying on it.",
    samples: &[Sample {
        event: "message.received",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_type":"message.received","event_id":"ev-118","created_at":"{{now_rfc3339}}","data":{"id":"m-1","chat":{"id":"{{object}}"},"parts":[{"type":"text","value":"hello"}]}}"#,
        object: "chat_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
