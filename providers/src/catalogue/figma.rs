//! Figma. No signature: the passcode is in the body.
//! <https://developers.figma.com/docs/rest-api/webhooks-security/>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::Json;
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "figma",
    title: "Figma",
    docs: "https://developers.figma.com/docs/rest-api/webhooks-security/",
    scheme: Scheme::Token(Token::at(Json("/passcode"))),
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/file_key")],
    version: &[Json("/timestamp")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/event_type"), "PING")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. An answer of 400 stops the webhook.",
    samples: &[Sample {
        event: "FILE_UPDATE",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","file_key":"{{object}}","event_type":"FILE_UPDATE","passcode":"{{secret}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
