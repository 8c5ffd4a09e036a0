//! LiveKit. A token (HS256) with the hash of the body, without `Bearer`. The secret is `API_KEY:API_SECRET`.
//! <https://docs.livekit.io/home/server/webhooks/>
//!
//! - The token counts from the moment it is made, so a clock a moment behind refuses honest ones: ten seconds are allowed,
//!   as in LiveKit's own Node library (a minute in Python).

use crate::locate::Locate::Json;
use crate::scheme::jwt::{Issuer, TokenPlace};
use crate::scheme::{Encoding, Jwt, KeyForm, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "livekit",
    title: "LiveKit",
    docs: "https://docs.livekit.io/home/server/webhooks/",
    scheme: Scheme::Jwt(Jwt {
        key: KeyForm::Named,
        issuer: Issuer::KeyName,
        body_hash: Some(("sha256", Encoding::Base64)),
        leeway_s: 10,
        ..Jwt::hs256(TokenPlace::Header("authorization", ""))
    }),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/room/sid"), Json("/egressInfo/egressId"), Json("/ingressInfo/ingressId")],
    version: &[Json("/createdAt")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "May drop events when a receiver is slow, and counts them in `numDropped`.",
    samples: &[Sample {
        event: "room_started",
        headers: &[("content-type", "application/webhook+json")],
        body: r#"{"createdAt":{{now}},"room":{"sid":"{{object}}"},"event":"room_started","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
