//! Nylas. HMAC-SHA256 of the body in hex.
//! <https://developer.nylas.com/docs/v3/notifications/>
//!
//! - A compressed body is signed as it travels, compressed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json, Query};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "nylas",
    title: "Nylas",
    docs: "https://developer.nylas.com/docs/v3/notifications/",
    scheme: Scheme::Signed(Signed::hex(Header("x-nylas-signature"))),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/object/id")],
    version: &[Json("/time")],
    volatile: &["/webhook_delivery_attempt"],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("challenge"))],
        proof: Proof::Nothing,
        answer: Answer::Text(Query("challenge")),
    }],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(24 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Retries only after 408, 429 and some 5xx, 3 attempts. Compressed notifications are signed compressed.",
    samples: &[Sample {
        event: "message.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"time":{{now}},"data":{"object":{"id":"{{object}}"}},"type":"message.created","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
