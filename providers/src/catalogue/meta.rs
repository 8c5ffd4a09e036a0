//! Meta (Facebook, Instagram, Messenger, WhatsApp). HMAC-SHA256 of the body, keyed with the app secret.
//! <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>
//!
//! - The subscription's verify token is a secret of the source, written `verify:TOKEN`.
//! - The bytes as sent are signed: Meta escapes slashes and everything beyond ASCII.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, IfPresent, Join, Json, Query};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "meta",
    title: "Meta (Facebook, Instagram, Messenger, WhatsApp)",
    docs: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature-256")).prefix("sha256=")),
    delivery_id: &[
        Json("/changes/0/value/messages/0/id"),
        Join("/", &[Json("/changes/0/value/statuses/0/status"), Json("/changes/0/value/statuses/0/id")]),
        Json("/messaging/0/message/mid"),
    ],
    event_type: &[Json("/changes/0/field"), IfPresent("/messaging", "messaging")],
    ordering_key: &[Json("/changes/0/value/metadata/phone_number_id"), Json("/id")],
    version: &[Json("/time")],
    events: Events::Each("/entry"),
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Is(Query("hub.mode"), "subscribe")],
        proof: Proof::Token(Query("hub.verify_token")),
        answer: Answer::Text(Query("hub.challenge")),
    }],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(7 * 86_400),
    max_body: Some(3 * 1024 * 1024),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Up to 1000 entries a request; most have no id of their own. Retries for 36 hours (WhatsApp: 7 days).",
    samples: &[
        Sample {
            event: "messages",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/meta_whatsapp_message.json"),
            object: "106540352242922",
        },
        Sample {
            event: "messaging",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/meta_messenger_message.json"),
            object: "1067280970047460",
        },
        Sample {
            event: "feed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/meta_page_feed.json"),
            object: "1067280970047460",
        },
    ],
    ..Provider::DEFAULT
};
