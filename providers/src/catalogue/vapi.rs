//! Vapi. No signature: the secret in `X-Vapi-Secret`, or the whole `Authorization` value (`Bearer …`).
//! <https://docs.vapi.ai/server-url/server-authentication>
//!
//! - Vapi can also sign, with an algorithm, header and layout of your choice: describe that one with `custom`.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "vapi",
    title: "Vapi",
    docs: "https://docs.vapi.ai/server-url/server-authentication",
    scheme: Scheme::FirstCarried(&[
        Scheme::Token(Token::at(Header("x-vapi-secret"))),
        Scheme::Token(Token::at(Header("authorization"))),
    ]),
    event_type: &[Json("/message/type")],
    ordering_key: &[Json("/message/call/id")],
    version: &[Json("/message/timestamp")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. `assistant-request`, `tool-calls` and `transfer-destination-request` want their answer in the response: a queue cannot give it. Events have no id.",
    samples: &[
        Sample {
            event: "status-update",
            headers: &[("content-type", "application/json")],
            body: r#"{"message":{"type":"status-update","timestamp":{{now}}000,"status":"in-progress","call":{"id":"{{object}}","type":"inboundPhoneCall"}}}"#,
            object: "c-7Yk2Nn5",
        },
        Sample {
            event: "end-of-call-report",
            headers: &[("content-type", "application/json")],
            body: r#"{"message":{"type":"end-of-call-report","timestamp":{{now}}000,"endedReason":"customer-ended-call","call":{"id":"{{object}}"},"artifact":{"transcript":"AI: Hello."}}}"#,
            object: "c-7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
