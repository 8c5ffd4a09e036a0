//! Mollie. HMAC-SHA256 of the body, for next-generation webhooks. The header may come several times; any may match.
//! <https://docs.mollie.com/reference/webhooks-new>
//!
//! - Classic webhooks, a form with nothing but an id, are unsigned and are refused here.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Listing, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "mollie",
    title: "Mollie",
    docs: "https://docs.mollie.com/reference/webhooks-new",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-mollie-signature")).optional_prefix("sha256=").listing(Listing::Repeated),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type"), Json("/event_type")],
    ordering_key: &[Json("/entityId")],
    version: &[Json("/createdAt")],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Only next-generation webhooks are signed; classic ones, a form with an id, are unsigned and refused.",
    samples: &[Sample {
        event: "payment-link.paid",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdAt":"{{now_rfc3339}}","entityId":"{{object}}","type":"payment-link.paid","id":"{{id}}"}"#,
        object: "pl_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
