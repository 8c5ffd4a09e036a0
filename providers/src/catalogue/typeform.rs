//! Typeform. HMAC-SHA256 of the body in base64 behind `sha256=`.
//! <https://www.typeform.com/developers/webhooks/secure-your-webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "typeform",
    title: "Typeform",
    docs: "https://www.typeform.com/developers/webhooks/secure-your-webhooks/",
    scheme: Scheme::Signed(Signed::base64(Header("typeform-signature")).prefix("sha256=")),
    delivery_id: &[Json("/event_id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/form_response/token")],
    version: &[Json("/form_response/submitted_at")],
    retry_horizon: Duration::from_secs(10 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "404 and 410 disable the webhook at once; 408, 423, 429 and 503 are retried for 10 hours, others some 5 times.",
    samples: &[
        Sample {
            event: "form_response",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/typeform_form_response.json"),
            object: "a3a12ec67a1365927098a606107fac15",
        },
        Sample {
            event: "form_response_partial",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/typeform_form_response_partial.json"),
            object: "a3a12ec67a1365927098a606107fac15",
        },
    ],
    ..Provider::DEFAULT
};
