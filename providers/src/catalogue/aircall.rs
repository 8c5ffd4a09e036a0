//! Aircall. No signature: the webhook's token is in the body.
//! <https://developer.aircall.io/api-references/#webhooks>

use std::time::Duration;

use crate::locate::Locate::Json;
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "aircall",
    title: "Aircall",
    docs: "https://developer.aircall.io/api-references/#webhooks",
    scheme: Scheme::Token(Token::at(Json("/token"))),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(43200),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Disabled after 50 failures in 12 hours. Nothing is signed.",
    samples: &[Sample {
        event: "call.ended",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":{{now}},"data":{"id":"{{object}}"},"event":"call.ended","token":"{{secret}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
