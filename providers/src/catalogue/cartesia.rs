//! Cartesia (Line agents). No signature: the secret in a header.
//! <https://docs.cartesia.ai/agents/webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "cartesia",
    title: "Cartesia",
    docs: "https://docs.cartesia.ai/agents/webhooks",
    scheme: Scheme::Token(Token::at(Header("x-webhook-secret"))),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/call_id"), Json("/call/id")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. Each turn of a call is an event, and events have no id.",
    samples: &[Sample {
        event: "call_completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"type":"call_completed","call_id":"{{object}}","agent_id":"agent_118","timestamp":"{{now_rfc3339}}","call":{"id":"{{object}}","status":"completed","end_reason":"hangup"}}"#,
        object: "ac_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
