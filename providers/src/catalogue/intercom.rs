//! Intercom. HMAC-SHA1 of the body, keyed with the app's client secret.
//! <https://developers.intercom.com/docs/webhooks/webhook-notifications>
//!
//! - The time limit of 5 seconds, and that a retry has the same id, are unverified.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "intercom",
    title: "Intercom",
    docs: "https://developers.intercom.com/docs/webhooks/webhook-notifications",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).hash(Hash::Sha1).prefix("sha1=")),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/topic")],
    ordering_key: &[Json("/data/item/id")],
    version: &[Json("/data/item/updated_at")],
    volatile: &["/delivery_attempts"],
    handshake: &[
        Handshake { when: &[When::Method("HEAD")], proof: Proof::Nothing, answer: Answer::Empty },
        Handshake { when: &[When::Is(Json("/topic"), "ping")], proof: Proof::Signature, answer: Answer::Empty },
    ],
    ack_deadline: Duration::from_secs(5),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Pauses for 15 minutes after 1000 errors in a row, and gives up after 7 days of errors.",
    samples: &[
        Sample {
            event: "conversation.user.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/intercom_conversation_user_created.json"),
            object: "215473840934085",
        },
        Sample {
            event: "conversation.admin.replied",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/intercom_conversation_admin_replied.json"),
            object: "215473840934085",
        },
        Sample {
            event: "contact.user.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/intercom_contact_user_created.json"),
            object: "6657ad48f1d0e9",
        },
    ],
    ..Provider::DEFAULT
};
