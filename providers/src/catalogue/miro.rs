//! Miro. No signature is documented: put `?token=…` in the callback URL.
//! <https://developers.miro.com/docs/getting-started-with-webhooks>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "miro",
    title: "Miro",
    docs: "https://developers.miro.com/docs/getting-started-with-webhooks",
    scheme: Scheme::Token(Token::at(Query("token"))),
    event_type: &[Json("/event/type")],
    ordering_key: &[Json("/event/item/id")],
    handshake: &[Handshake {
        when: &[When::Present(Json("/challenge"))],
        proof: Proof::Nothing,
        answer: Answer::Json("challenge", Json("/challenge")),
    }],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the URL can send anything.",
    samples: &[Sample {
        event: "update",
        headers: &[("content-type", "application/json")],
        body: r#"{"event":{"item":{"id":"{{object}}"},"type":"update"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
