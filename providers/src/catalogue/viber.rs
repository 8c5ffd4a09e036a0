//! Viber. HMAC-SHA256 of the body in hex, keyed with the bot's token.
//! <https://developers.viber.com/docs/api/rest-bot-api/>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "viber",
    title: "Viber",
    docs: "https://developers.viber.com/docs/api/rest-bot-api/",
    scheme: Scheme::Signed(Signed::hex(Header("x-viber-content-signature"))),
    delivery_id: &[Json("/message_token")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/sender/id"), Json("/user_id"), Json("/user/id")],
    version: &[Json("/timestamp")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/event"), "webhook")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "`message_token` is a number above 2^53: it is read as written.",
    samples: &[Sample {
        event: "message",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":{{now}}000,"sender":{"id":"{{object}}"},"event":"message","message_token":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
