//! Telnyx. Ed25519 over time and body. The secret is the account's public key.
//! <https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, PublicKey, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "telnyx",
    title: "Telnyx",
    docs: "https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks",
    scheme: Scheme::Signed(
        Signed::base64(Header("telnyx-signature-ed25519"))
            .public_key(PublicKey::Ed25519)
            .signs(&[Part::Timestamp, Part::Lit("|"), Part::Body])
            .timestamp(Timestamp::seconds(Header("telnyx-timestamp"))),
    ),
    delivery_id: &[Json("/data/id")],
    event_type: &[Json("/data/event_type")],
    ordering_key: &[Json("/data/payload/call_leg_id"), Json("/data/payload/id")],
    version: &[Json("/data/occurred_at")],
    ack_deadline: Duration::from_secs(2),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Wants an answer within 2 seconds and then tries the failover URL. That a retry has the same id is unverified.",
    samples: &[Sample {
        event: "message.received",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"occurred_at":"{{now_rfc3339}}","payload":{"call_leg_id":"{{object}}"},"event_type":"message.received","id":"{{id}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
