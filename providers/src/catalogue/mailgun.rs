//! Mailgun. HMAC-SHA256 of time and token, all three in the body.
//! <https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks>
//!
//! - The event itself is not signed: whoever sees one request can send another event with its token while the time is
//!   fresh. The token is the delivery id, so it works once only.

use std::time::Duration;

use crate::locate::Locate::{Form, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Acknowledgement, Coverage, Provider, Sample};

const JSON: Signed = Signed::hex(Json("/signature/signature"))
    .signs(&[Part::Timestamp, Part::At(Json("/signature/token"))])
    .timestamp(Timestamp::seconds(Json("/signature/timestamp")));
const FORM: Signed = Signed::hex(Form("signature"))
    .signs(&[Part::Timestamp, Part::At(Form("token"))])
    .timestamp(Timestamp::seconds(Form("timestamp")));

pub(super) const PROVIDER: Provider = Provider {
    name: "mailgun",
    title: "Mailgun",
    docs: "https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks",
    scheme: Scheme::FirstCarried(&[Scheme::Signed(JSON), Scheme::Signed(FORM)]),
    delivery_id: &[Json("/signature/token"), Form("token")],
    event_type: &[Json("/event-data/event")],
    ordering_key: &[Json("/event-data/message/headers/message-id")],
    version: &[Json("/event-data/timestamp")],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(8 * 3_600),
    covers: Coverage { body: false, id: true, event_type: false, time: true },
    quirks: "The event is not signed. Only 200 counts as success, 406 stops the retries; `delivered` is not sent again. That a retry has the same token is unverified.",
    samples: &[
        Sample {
            event: "delivered",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/mailgun_delivered.json"),
            object: "20261130214036.1.7Yk2Nn5@mg.example.com",
        },
        Sample {
            event: "failed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/mailgun_failed.json"),
            object: "20261130214036.1.7Yk2Nn5@mg.example.com",
        },
        Sample {
            event: "opened",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/mailgun_opened.json"),
            object: "20261130214036.1.7Yk2Nn5@mg.example.com",
        },
    ],
    ..Provider::DEFAULT
};
