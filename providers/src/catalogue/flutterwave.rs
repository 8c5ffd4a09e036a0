//! Flutterwave. v4: HMAC-SHA256 of the body in base64. v3: the secret hash as it is.
//! <https://developer.flutterwave.com/docs/webhooks>
//!
//! - Read from independent implementations: fetch the transaction before acting on it, as Flutterwave advises.
//! - The time limit of 60 seconds is unverified.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed, Token};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "flutterwave",
    title: "Flutterwave",
    docs: "https://developer.flutterwave.com/docs/webhooks",
    scheme: Scheme::FirstCarried(&[
        Scheme::Signed(Signed::base64(Header("flutterwave-signature"))),
        Scheme::Token(Token::at(Header("verif-hash"))),
    ]),
    delivery_id: &[Json("/webhook_id")],
    event_type: &[Json("/event"), Json("/type")],
    ordering_key: &[Json("/data/tx_ref"), Json("/data/reference"), Json("/data/id")],
    version: &[Json("/timestamp")],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(60),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "With v3 nothing is signed: whoever sees one request can send any.",
    samples: &[Sample {
        event: "charge.completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now}}123","data":{"tx_ref":"{{object}}"},"event":"charge.completed","webhook_id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
