//! Twitch EventSub. HMAC-SHA256 of message id, time (RFC 3339) and body.
//! <https://dev.twitch.tv/docs/eventsub/handling-webhook-events/>
//!
//! - The headers with the type of message and subscription are not signed: what counts is in the body.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "twitch",
    title: "Twitch EventSub",
    docs: "https://dev.twitch.tv/docs/eventsub/handling-webhook-events/",
    scheme: Scheme::Signed(
        Signed::hex(Header("twitch-eventsub-message-signature"))
            .prefix("sha256=")
            .signs(&[Part::Header("twitch-eventsub-message-id"), Part::Timestamp, Part::Body])
            .timestamp(Timestamp::rfc3339(Header("twitch-eventsub-message-timestamp")).within(600)),
    ),
    delivery_id: &[Header("twitch-eventsub-message-id")],
    event_type: &[Json("/subscription/type")],
    ordering_key: &[Json("/subscription/condition/broadcaster_user_id"), Json("/subscription/id")],
    version: &[Json("/subscription/created_at")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/subscription/status"), "webhook_callback_verification_pending")],
        proof: Proof::Signature,
        answer: Answer::Text(Json("/challenge")),
    }],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Revokes a subscription whose deliveries fail or answer too slowly.",
    samples: &[Sample {
        event: "channel.follow",
        headers: &[("content-type", "application/json")],
        body: r#"{"subscription":{"created_at":"{{now_rfc3339}}","condition":{"broadcaster_user_id":"{{object}}"},"type":"channel.follow"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
