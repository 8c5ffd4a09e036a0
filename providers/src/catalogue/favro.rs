//! Favro. HMAC-SHA1 of `payloadId` and the URL as registered, in base64; the rest of the body is not signed.
//! <https://favro.com/developer/#webhook-signatures>
//!
//! - Whoever sees one request can send any event under its `payloadId`: fetch the card before acting on it. The
//!   `payloadId` is the delivery id, so each works once only.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "favro",
    title: "Favro",
    docs: "https://favro.com/developer/#webhook-signatures",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-favro-webhook")).hash(Hash::Sha1).signs(&[Part::At(Json("/payloadId")), Part::Url]),
    ),
    delivery_id: &[Json("/payloadId")],
    event_type: &[Json("/action")],
    ordering_key: &[Json("/card/cardCommonId"), Json("/card/cardId"), Json("/comment/cardCommonId")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/action"), "ping")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: false, id: true, event_type: false, time: false },
    quirks: "The body is not signed but for `payloadId`. The URL is signed: it must be registered exactly as the public URL of the source.",
    samples: &[Sample {
        event: "card.updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"payloadId":"{{id}}","action":"card.updated","hookId":"5c1a0000","card":{"cardId":"9a1","cardCommonId":"{{object}}","name":"Ship the samples","columnId":"c7"},"sender":{"userId":"u1","name":"Ada"}}"#,
        object: "7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
