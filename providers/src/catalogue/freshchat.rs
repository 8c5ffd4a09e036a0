//! Freshchat. RSA (SHA-256) over the body. The secret is the account's public key.
//! <https://developers.freshchat.com/api/#webhooks>
//!
//! - Second-hand: read from independent implementations.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, PublicKey, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "freshchat",
    title: "Freshchat",
    docs: "https://developers.freshchat.com/api/#webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("x-freshchat-signature")).public_key(PublicKey::Rsa(Hash::Sha256))),
    event_type: &[Json("/action")],
    ordering_key: &[Json("/data/message/conversation_id"), Json("/actor/actor_id")],
    version: &[Json("/action_time")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Some articles call it an HMAC: it is a public-key signature.",
    samples: &[Sample {
        event: "message_create",
        headers: &[("content-type", "application/json")],
        body: r#"{"action_time":"{{now_rfc3339}}","data":{"message":{"conversation_id":"{{object}}"}},"action":"message_create"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
