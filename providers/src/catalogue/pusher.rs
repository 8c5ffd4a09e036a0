//! Pusher Channels. HMAC-SHA256 of the body in hex. The secret is `KEY:SECRET`; the request names the key.
//! <https://pusher.com/docs/channels/server_api/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json, Root};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "pusher",
    title: "Pusher Channels",
    docs: "https://pusher.com/docs/channels/server_api/webhooks/",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-pusher-signature")).key(KeyForm::Named).named_in(Header("x-pusher-key")),
    ),
    event_type: &[Json("/name")],
    ordering_key: &[Json("/channel")],
    version: &[Root("/time_ms")],
    events: Events::Each("/events"),
    ack_deadline: Duration::from_secs(4),
    retry_horizon: Duration::from_secs(300),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Wants an answer within 4 seconds and retries for 5 minutes.",
    samples: &[Sample {
        event: "channel_occupied",
        headers: &[("content-type", "application/json")],
        body: r#"{"time_ms":1764500000123,"events":[{"channel":"{{object}}","name":"channel_occupied"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
