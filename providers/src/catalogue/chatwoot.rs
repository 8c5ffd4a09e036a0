//! Chatwoot. HMAC-SHA256 of time and body.
//! <https://www.chatwoot.com/hc/user-guide/articles/1677693021-how-to-use-webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "chatwoot",
    title: "Chatwoot",
    docs: "https://www.chatwoot.com/hc/user-guide/articles/1677693021-how-to-use-webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-chatwoot-signature"))
            .prefix("sha256=")
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Header("x-chatwoot-timestamp"))),
    ),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/conversation/id"), Json("/id")],
    version: &[Json("/created_at")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Read from independent implementations.",
    samples: &[Sample {
        event: "message_created",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","conversation":{"id":"{{object}}"},"event":"message_created"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
