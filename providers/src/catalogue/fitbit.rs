//! Fitbit. HMAC-SHA1 of the body in base64, keyed with the client secret and `&`.
//! <https://dev.fitbit.com/build/reference/web-api/developer-guide/using-subscriptions/>
//!
//! - The subscriber's verification code is a secret of the source, written `verify:CODE`. A wrong code must get 404,
//!   as must any refused request.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json, Query};
use crate::scheme::{Hash, KeyForm, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "fitbit",
    title: "Fitbit",
    docs: "https://dev.fitbit.com/build/reference/web-api/developer-guide/using-subscriptions/",
    scheme: Scheme::Signed(Signed::base64(Header("x-fitbit-signature")).hash(Hash::Sha1).key(KeyForm::Suffixed("&"))),
    event_type: &[Json("/collectionType")],
    ordering_key: &[Json("/ownerId")],
    version: &[Json("/date")],
    events: Events::Each(""),
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("verify"))],
        proof: Proof::Token(Query("verify")),
        answer: Answer::Status(204),
    }],
    reply: Acknowledgement { status: 204, body: Some(("text/plain", "")) },
    refusal: Acknowledgement { status: 404, body: None },
    ack_deadline: Duration::from_secs(5),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Wants 204 within 5 seconds, and 404 for a wrong verification code, which it tries on purpose. Events have no id.",
    samples: &[Sample {
        event: "activities",
        headers: &[("content-type", "application/json")],
        body: r#"[{"date":"2025-11-30T00:00:00Z","ownerId":"{{object}}","collectionType":"activities"}]"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
