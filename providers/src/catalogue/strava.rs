//! Strava. No signature: put `?token=…` in the callback URL.
//! <https://developers.strava.com/docs/webhooks/>
//!
//! - The verify token is a secret of the source, written `verify:TOKEN`.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Join, Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "strava",
    title: "Strava",
    docs: "https://developers.strava.com/docs/webhooks/",
    scheme: Scheme::Token(Token::at(Query("token"))),
    delivery_id: &[Join("/", &[Json("/object_id"), Json("/aspect_type"), Json("/event_time")])],
    event_type: &[Join(".", &[Json("/object_type"), Json("/aspect_type")])],
    ordering_key: &[Json("/owner_id")],
    version: &[Json("/event_time")],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Is(Query("hub.mode"), "subscribe")],
        proof: Proof::Token(Query("hub.verify_token")),
        answer: Answer::Json("hub.challenge", Query("hub.challenge")),
    }],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(2),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Wants an answer within 2 seconds; at most 3 attempts. Nothing is signed.",
    samples: &[Sample {
        event: "activity.create",
        headers: &[("content-type", "application/json")],
        body: r#"{"object_type":"activity","object_id":"{{id}}","aspect_type":"create","owner_id":"{{object}}","event_time":1764500000,"subscription_id":120475}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
