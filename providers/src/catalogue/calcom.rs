//! Cal.com. HMAC-SHA256 of the body in hex.
//! <https://cal.com/docs/developing/guides/automation/webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "calcom",
    title: "Cal.com",
    docs: "https://cal.com/docs/developing/guides/automation/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-cal-signature-256"))),
    event_type: &[Json("/triggerEvent")],
    ordering_key: &[Json("/payload/uid")],
    version: &[Json("/createdAt")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Without a secret nothing is signed, and nothing is accepted. Events have no id.",
    samples: &[Sample {
        event: "BOOKING_CREATED",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdAt":"{{now_rfc3339}}","payload":{"uid":"{{object}}"},"triggerEvent":"BOOKING_CREATED"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
