//! Twilio SendGrid. ECDSA (P-256, SHA-256) over time and body. The secret is the webhook's public key.
//! <https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features>
//!
//! - Others can turn a signature into a second valid one, so it identifies nothing.
//! - Every webhook of an account has a key of its own.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, PublicKey, Scheme, Signed, Timestamp};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sendgrid",
    title: "Twilio SendGrid",
    docs: "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-twilio-email-event-webhook-signature"))
            .public_key(PublicKey::EcdsaP256)
            .signs(&[Part::Timestamp, Part::Body])
            .timestamp(Timestamp::seconds(Header("x-twilio-email-event-webhook-timestamp"))),
    ),
    delivery_id: &[Json("/sg_event_id")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/sg_message_id")],
    version: &[Json("/timestamp")],
    events: Events::Each(""),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Many events a request. The body ends in a line break that is signed. Inbound Parse is not signed. Retries for 24 hours (unverified), with the same event ids.",
    samples: &[
        Sample {
            event: "delivered",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/sendgrid_delivered.json"),
            object: "14c5d75ce93.dfd.64b469",
        },
        Sample {
            event: "bounce",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/sendgrid_bounce.json"),
            object: "14c5d75ce93.dfd.64b469",
        },
        Sample {
            event: "open",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/sendgrid_open.json"),
            object: "14c5d75ce93.dfd.64b469",
        },
        Sample {
            event: "click",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/sendgrid_click.json"),
            object: "14c5d75ce93.dfd.64b469",
        },
    ],
    ..Provider::DEFAULT
};
