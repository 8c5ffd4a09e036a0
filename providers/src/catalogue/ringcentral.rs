//! RingCentral. No signature: the verification token in a header.
//! <https://developers.ringcentral.com/guide/notifications/webhooks/creating-webhooks>

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "ringcentral",
    title: "RingCentral",
    docs: "https://developers.ringcentral.com/guide/notifications/webhooks/creating-webhooks",
    scheme: Scheme::Token(Token::at(Header("verification-token"))),
    delivery_id: &[Json("/uuid")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/body/id"), Json("/subscriptionId")],
    version: &[Json("/timestamp")],
    handshake: &[Handshake {
        when: &[When::Present(Header("validation-token"))],
        proof: Proof::Nothing,
        answer: Answer::Header("validation-token"),
    }],
    ack_deadline: Duration::from_secs(3),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. When a subscription is made, `Validation-Token` must come back as a header within 3 seconds, in an answer of at most 1024 bytes.",
    samples: &[Sample {
        event: "/restapi/v1.0/account/1/extension/2/presence",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","body":{"id":"{{object}}"},"event":"/restapi/v1.0/account/1/extension/2/presence","uuid":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
