//! Oura. HMAC-SHA256 of time and body in upper-case hex, keyed with the client secret.
//! <https://cloud.ouraring.com/docs/webhooks>
//!
//! - The verification token is a secret of the source, written `verify:TOKEN`.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json, Query};
use crate::scheme::{Encoding, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "oura",
    title: "Oura",
    docs: "https://cloud.ouraring.com/docs/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-oura-signature"))
            .encoding(Encoding::HexUpper)
            .signs(&[Part::Timestamp, Part::Body])
            .timestamp(Timestamp::seconds(Header("x-oura-timestamp"))),
    ),
    delivery_id: &[Join("/", &[Json("/event_type"), Json("/object_id"), Json("/event_time")])],
    event_type: &[Join(".", &[Json("/data_type"), Json("/event_type")])],
    ordering_key: &[Json("/object_id")],
    version: &[Json("/event_time")],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("challenge"))],
        proof: Proof::Token(Query("verification_token")),
        answer: Answer::Json("challenge", Query("challenge")),
    }],
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Ten retries; 410 cancels the subscription.",
    samples: &[Sample {
        event: "sleep.update",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_type":"update","data_type":"sleep","object_id":"{{object}}-{{id}}","event_time":"2025-11-30T10:53:20+00:00","user_id":"u7"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
