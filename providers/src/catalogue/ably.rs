//! Ably. HMAC-SHA256 of the body in base64. The secret is the API key, `NAME:SECRET`.
//! <https://ably.com/docs/platform/integrations/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "ably",
    title: "Ably",
    docs: "https://ably.com/docs/platform/integrations/webhooks",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-ably-signature")).key(KeyForm::Named).named_in(Header("x-ably-key")),
    ),
    event_type: &[Json("/name"), Json("/source")],
    ordering_key: &[Json("/data/channelId")],
    version: &[Json("/timestamp")],
    events: Events::Each("/items"),
    retry_horizon: Duration::from_secs(300),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Only batched requests are signed: switch batching on.",
    samples: &[Sample {
        event: "channel.message",
        headers: &[("content-type", "application/json")],
        body: r#"{"items":[{"webhookId":"f2","source":"channel.message","name":"channel.message","timestamp":{{now}}000,"serial":"a7","data":{"channelId":"{{object}}","messages":[]}}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
