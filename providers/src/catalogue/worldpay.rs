//! Worldpay Access. HMAC-SHA256 of the body in hex, behind the id of its key and `SHA256`. The secret is `KEY_ID:SECRET`.
//! <https://developer.worldpay.com/products/events/signature>
//!
//! - A header may hold signatures of several keys; only the one under ours counts.
//! - Worldpay signs only if asked to: nothing unsigned is accepted.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Listing, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "worldpay",
    title: "Worldpay (Access)",
    docs: "https://developer.worldpay.com/products/events/signature",
    scheme: Scheme::Signed(
        Signed::hex(Header("event-signature")).key(KeyForm::Named).listing(Listing::Named(",", "/")).prefix("SHA256/"),
    ),
    delivery_id: &[Json("/eventId")],
    event_type: &[Json("/eventDetails/type")],
    ordering_key: &[Json("/eventDetails/transactionReference")],
    version: &[Json("/eventTimestamp")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Ask the implementation manager for the signature and its key. The order of signatures can change.",
    samples: &[
        Sample {
            event: "authorized",
            headers: &[("content-type", "application/json")],
            body: r#"{"eventId":"{{id}}","eventTimestamp":"{{now_rfc3339}}","eventDetails":{"classification":"payment","transactionReference":"{{object}}","type":"authorized","date":"2026-11-30","amount":{"value":1999,"currencyCode":"GBP"}}}"#,
            object: "order-118",
        },
        Sample {
            event: "sentForSettlement",
            headers: &[("content-type", "application/json")],
            body: r#"{"eventId":"{{id}}","eventTimestamp":"{{now_rfc3339}}","eventDetails":{"classification":"payment","transactionReference":"{{object}}","type":"sentForSettlement","date":"2026-11-30"}}"#,
            object: "order-118",
        },
    ],
    ..Provider::DEFAULT
};
