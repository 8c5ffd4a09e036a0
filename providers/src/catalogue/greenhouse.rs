//! Greenhouse. HMAC-SHA256 of the body in hex behind `sha256` and a space.
//! <https://developers.greenhouse.io/webhooks.html>
//!
//! - The id is a header that is not signed.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json, Lit};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "greenhouse",
    title: "Greenhouse",
    docs: "https://developers.greenhouse.io/webhooks.html",
    scheme: Scheme::Signed(Signed::hex(Header("signature")).prefix("sha256 ")),
    delivery_id: &[Header("greenhouse-event-id")],
    event_type: &[Json("/action")],
    ordering_key: &[
        Join("/", &[Lit("application"), Json("/payload/application/id")]),
        Join("/", &[Lit("candidate"), Json("/payload/candidate/id")]),
        Join("/", &[Lit("job"), Json("/payload/job/id")]),
        Json("/payload/id"),
    ],
    version: &[Json("/payload/application/last_activity_at"), Json("/payload/job/updated_at")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/action"), "ping")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Sends a `ping` when a webhook is made, which must get success. Redirects are not followed.",
    samples: &[Sample {
        event: "hire_candidate",
        headers: &[("content-type", "application/json"), ("greenhouse-event-id", "{{id}}")],
        body: r#"{"action":"hire_candidate","payload":{"application":{"id":{{object}},"last_activity_at":"{{now_rfc3339}}","status":"hired","candidate":{"id":57683,"first_name":"Ada","last_name":"Kestrel"},"jobs":[{"id":3485,"name":"Platform engineer"}]}}}"#,
        object: "46194062",
    }],
    ..Provider::DEFAULT
};
