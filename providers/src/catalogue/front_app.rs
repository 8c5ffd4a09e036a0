//! Front (application webhooks). HMAC-SHA256 of time (milliseconds) and body in base64.
//! <https://dev.frontapp.com/docs/application-webhooks>

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "front-app",
    title: "Front (application webhooks)",
    docs: "https://dev.frontapp.com/docs/application-webhooks",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-front-signature"))
            .signs(&[Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::milliseconds(Header("x-front-request-timestamp"))),
    ),
    delivery_id: &[Json("/payload/id"), Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/payload/conversation/id"), Json("/payload/target/data/id")],
    version: &[Json("/payload/emitted_at")],
    handshake: &[Handshake {
        when: &[When::Present(Header("x-front-challenge"))],
        proof: Proof::Signature,
        answer: Answer::Text(Header("x-front-challenge")),
    }],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(24 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Three retries, then disabled. Rule webhooks use the same header and another signature: they are the provider front-rule.",
    samples: &[Sample {
        event: "inbound_received",
        headers: &[("content-type", "application/json")],
        body: r#"{"payload":{"emitted_at":"{{now}}.5","conversation":{"id":"{{object}}"},"id":"{{id}}"},"type":"inbound_received"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
