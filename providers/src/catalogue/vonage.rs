//! Vonage. A token (HS256) with the hash of the body, keyed with the account's signature secret.
//! <https://developer.vonage.com/en/getting-started/concepts/webhooks>
//!
//! - No official library compares the hash of the body; here it must be there and right.

use crate::locate::Locate::{Join, Json};
use crate::scheme::jwt::{Issuer, TokenPlace};
use crate::scheme::{Encoding, Jwt, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "vonage",
    title: "Vonage",
    docs: "https://developer.vonage.com/en/getting-started/concepts/webhooks",
    scheme: Scheme::Jwt(Jwt {
        issuer: Issuer::Is("Vonage"),
        body_hash: Some(("payload_hash", Encoding::HexAnyCase)),
        issued_within_s: Some(300),
        ..Jwt::hs256(TokenPlace::Header("authorization", "Bearer "))
    }),
    delivery_id: &[Join("/", &[Json("/status"), Json("/message_uuid")]), Json("/message_uuid"), Json("/uuid")],
    event_type: &[Json("/status"), Json("/message_type")],
    ordering_key: &[Json("/message_uuid"), Json("/conversation_uuid")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The older signed SMS webhooks are another scheme and are not of this kind.",
    samples: &[Sample {
        event: "delivered",
        headers: &[("content-type", "application/json")],
        body: r#"{"message_uuid":"{{id}}-{{object}}","status":"delivered","timestamp":"{{now_rfc3339}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
