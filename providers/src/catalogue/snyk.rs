//! Snyk. HMAC-SHA256 of the body in `X-Hub-Signature`.
//! <https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "snyk",
    title: "Snyk",
    docs: "https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).prefix("sha256=")),
    delivery_id: &[Header("x-snyk-transport-id")],
    event_type: &[Header("x-snyk-event")],
    ordering_key: &[Json("/project/id")],
    version: &[Header("x-snyk-timestamp")],
    handshake: &[Handshake {
        when: &[When::Is(Header("x-snyk-event"), "ping/v0")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "The event's name carries its version.",
    samples: &[Sample {
        event: "project_snapshot/v0",
        headers: &[
            ("content-type", "application/json"),
            ("x-snyk-timestamp", "{{now_rfc3339}}"),
            ("x-snyk-event", "project_snapshot/v0"),
        ],
        body: r#"{"project":{"id":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
