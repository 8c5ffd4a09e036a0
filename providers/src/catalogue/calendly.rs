//! Calendly. HMAC-SHA256 of time and body.
//! <https://developer.calendly.com/api-docs/webhook-signatures>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "calendly",
    title: "Calendly",
    docs: "https://developer.calendly.com/api-docs/webhook-signatures",
    scheme: Scheme::Signed(
        Signed::hex(Pair("calendly-webhook-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("calendly-webhook-signature", "t")).within(180)),
    ),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/payload/uri")],
    version: &[Json("/payload/updated_at")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Events have no id. A subscription made with a personal token without a signing key is not signed.",
    samples: &[
        Sample {
            event: "invitee.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/calendly_invitee_created.json"),
            object: "https://api.calendly.com/scheduled_events/118/invitees/7Yk2Nn5",
        },
        Sample {
            event: "invitee.canceled",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/calendly_invitee_canceled.json"),
            object: "https://api.calendly.com/scheduled_events/118/invitees/7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
