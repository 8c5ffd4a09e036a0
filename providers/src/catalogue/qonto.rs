//! Qonto. HMAC-SHA256 of time and body.
//! <https://docs.qonto.com/guides/webhooks/setup>
//!
//! - Qonto does not say the unit of the time; it is read as seconds. The body's fields are unverified. Confirm both with a
//!   test event.

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "qonto",
    title: "Qonto",
    docs: "https://docs.qonto.com/guides/webhooks/setup",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-qonto-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("x-qonto-signature", "t"))),
    ),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id"), Json("/id")],
    ack_deadline: Duration::from_secs(1),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Waits one second only. Fields of the body are unverified: name the id in the configuration of the source.",
    samples: &[Sample {
        event: "transactions.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"type":"transactions.created","data":{"id":"{{object}}","side":"debit","amount":"12.00","currency":"EUR","settled_at":"{{now_rfc3339}}"}}"#,
        object: "tx-7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
