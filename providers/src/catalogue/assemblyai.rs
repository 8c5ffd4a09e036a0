//! AssemblyAI. No signature: the header named in `webhook_auth_header_name`; name it `X-Webhook-Secret`.
//! <https://www.assemblyai.com/docs/deployment/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "assemblyai",
    title: "AssemblyAI",
    docs: "https://www.assemblyai.com/docs/deployment/webhooks",
    scheme: Scheme::Token(Token::at(Header("x-webhook-secret"))),
    delivery_id: &[Join("/", &[Json("/status"), Json("/transcript_id")])],
    event_type: &[Json("/status")],
    ordering_key: &[Json("/transcript_id")],
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. The body is thin: fetch the transcript. Its type is the status.",
    samples: &[
        Sample {
            event: "completed",
            headers: &[("content-type", "application/json")],
            body: r#"{"transcript_id":"{{id}}-{{object}}","status":"completed"}"#,
            object: "5552493",
        },
        Sample {
            event: "error",
            headers: &[("content-type", "application/json")],
            body: r#"{"transcript_id":"{{id}}-{{object}}","status":"error"}"#,
            object: "5552493",
        },
    ],
    ..Provider::DEFAULT
};
