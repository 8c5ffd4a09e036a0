//! Okta. No signature: the whole `Authorization` value is the secret.
//! <https://developer.okta.com/docs/concepts/event-hooks/>

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "okta",
    title: "Okta",
    docs: "https://developer.okta.com/docs/concepts/event-hooks/",
    scheme: Scheme::Token(Token::at(Header("authorization"))),
    delivery_id: &[Json("/uuid")],
    event_type: &[Json("/eventType")],
    ordering_key: &[Json("/target/0/id"), Json("/actor/id")],
    version: &[Json("/published")],
    events: Events::Each("/data/events"),
    handshake: &[Handshake {
        when: &[When::Method("GET")],
        proof: Proof::Signature,
        answer: Answer::Json("verification", Header("x-okta-verification-challenge")),
    }],
    reply: Acknowledgement { status: 204, body: Some(("text/plain", "")) },
    ack_deadline: Duration::from_secs(3),
    retry_horizon: Duration::from_secs(60),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Wants an empty 200 or 204 within 3 seconds; tries at most once more, never after a 4xx. Nothing is signed.",
    samples: &[
        Sample {
            event: "user.session.start",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/okta_user_session_start.json"),
            object: "00u7yk2nn5",
        },
        Sample {
            event: "user.lifecycle.create",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/okta_user_lifecycle_create.json"),
            object: "00u7yk2nn5",
        },
        Sample {
            event: "user.account.update_password",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/okta_user_account_update_password.json"),
            object: "00u7yk2nn5",
        },
    ],
    ..Provider::DEFAULT
};
