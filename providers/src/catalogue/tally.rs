//! Tally. HMAC-SHA256 of the body in base64.
//! <https://tally.so/help/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "tally",
    title: "Tally",
    docs: "https://tally.so/help/webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("tally-signature"))),
    delivery_id: &[Json("/eventId")],
    event_type: &[Json("/eventType")],
    ordering_key: &[Json("/data/formId")],
    version: &[Json("/createdAt")],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Signing is optional: set a secret. Retries for about a day.",
    samples: &[Sample {
        event: "FORM_RESPONSE",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdAt":"{{now_rfc3339}}","data":{"formId":"{{object}}"},"eventType":"FORM_RESPONSE","eventId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
