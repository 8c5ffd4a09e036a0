//! CloudEvents over HTTP, from any sender: one event in the body, one in headers and body, or a batch. A shared token in
//! `Authorization: Bearer` or, where the sender can do no better, in `?access_token=`.
//! <https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md>
//!
//! - The handshake (`OPTIONS`) is answered for the origins that are secrets of the source: `verify:ORIGIN`, with the
//!   number of requests a minute it may make behind it, or `verify:*`.
//! - **Nothing is signed**: whoever has the token can send anything.
//! - The token in both places is refused, as the specification wants.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "cloudevents",
    title: "CloudEvents",
    docs: "https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md",
    scheme: Scheme::OnlyCarried(&[
        Scheme::Token(Token::at(Header("authorization")).prefix("Bearer ")),
        Scheme::Token(Token::at(Query("access_token"))),
    ]),
    delivery_id: &[Join("|", &[Header("ce-source"), Header("ce-id")]), Join("|", &[Json("/source"), Json("/id")])],
    event_type: &[Header("ce-type"), Json("/type")],
    ordering_key: &[Header("ce-subject"), Json("/subject")],
    version: &[Header("ce-time"), Json("/time")],
    events: Events::EachIn("application/cloudevents-batch+json", ""),
    handshake: &[Handshake {
        when: &[When::Method("OPTIONS"), When::Present(Header("webhook-request-origin"))],
        proof: Proof::Nothing,
        answer: Answer::AllowOrigin,
    }],
    reply: Acknowledgement { status: 202, body: None },
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever has the token can send anything. An id is one of its source's only, so both make the delivery id.",
    samples: &[
        Sample {
            event: "com.example.order.paid",
            headers: &[("content-type", "application/cloudevents+json; charset=utf-8")],
            body: r#"{"specversion":"1.0","type":"com.example.order.paid","source":"/shop","subject":"{{object}}","id":"{{id}}","time":"{{now_rfc3339}}","datacontenttype":"application/json","data":{"amount":1999}}"#,
            object: "order-7",
        },
        Sample {
            event: "com.example.order.shipped",
            headers: &[
                ("content-type", "application/json"),
                ("ce-specversion", "1.0"),
                ("ce-type", "com.example.order.shipped"),
                ("ce-source", "/shop"),
                ("ce-subject", "{{object}}"),
                ("ce-id", "{{id}}"),
                ("ce-time", "{{now_rfc3339}}"),
            ],
            body: r#"{"carrier":"demo"}"#,
            object: "order-7",
        },
    ],
    ..Provider::DEFAULT
};
