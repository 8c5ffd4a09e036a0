//! Survicate. HMAC-SHA256 of the body in the header `Hmac`; the token beside it is not looked at.
//! <https://developers.survicate.com/webhooks/security/>
//!
//! - How the signature is written was not read anywhere and is taken to be lower-case hex: unverified. Confirm with a test
//!   event.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "survicate",
    title: "Survicate",
    docs: "https://developers.survicate.com/webhooks/security/",
    scheme: Scheme::Signed(Signed::hex(Header("hmac"))),
    event_type: &[Json("/event/type"), Json("/event")],
    ordering_key: &[Json("/data/survey/id"), Json("/survey/id")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Unverified: that the signature is hex. Confirm with a test event before relying on it.",
    samples: &[Sample {
        event: "survey_completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"event":"survey_completed","survey":{"id":"{{object}}","name":"NPS 2026"},"respondent":{"uuid":"r-118"},"answers":[{"question_id":1,"answer":{"rating":9}}]}"#,
        object: "svy7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
