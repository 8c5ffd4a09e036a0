//! Aircall. No signature: the webhook's token is in the body.
//! <https://developer.aircall.io/api-references/#webhooks>

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "aircall",
    title: "Aircall",
    docs: "https://developer.aircall.io/api-references/#webhooks",
    scheme: Scheme::Token(Token::at(Json("/token"))),
    delivery_id: &[Join("/", &[Json("/event"), Json("/data/id"), Json("/timestamp")])],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(12 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. Events have no id of their own: kind, object and time make one. Up to 50 retries in 12 hours, then disabled.",
    samples: &[Sample {
        event: "call.ended",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":1764500000,"data":{"id":"{{object}}-{{id}}"},"event":"call.ended","token":"{{secret}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
