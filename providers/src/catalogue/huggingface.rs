//! Hugging Face. No signature: the secret in a header.
//! <https://huggingface.co/docs/hub/webhooks>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "huggingface",
    title: "Hugging Face",
    docs: "https://huggingface.co/docs/hub/webhooks",
    scheme: Scheme::Token(Token::at(Header("x-webhook-secret"))),
    event_type: &[Join(".", &[Json("/event/scope"), Json("/event/action")])],
    ordering_key: &[Json("/repo/id")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed.",
    samples: &[Sample {
        event: "repo.update",
        headers: &[("content-type", "application/json")],
        body: r#"{"repo":{"id":"{{object}}"},"event":{"scope":"repo","action":"update"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
