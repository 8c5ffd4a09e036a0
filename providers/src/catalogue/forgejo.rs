//! Forgejo. HMAC-SHA256 of the JSON document, which in a form is the decoded field `payload`.
//! <https://forgejo.org/docs/latest/user/webhooks/>
//!
//! - Without a secret the signature header is there and empty, which counts as none.

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "forgejo",
    title: "Forgejo",
    docs: "https://forgejo.org/docs/latest/user/webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-forgejo-signature")).signs(&[Part::Document("payload")])),
    form_payload: Some("payload"),
    methods: &["POST", "GET"],
    delivery_id: &[Header("x-forgejo-delivery")],
    event_type: &[Header("x-forgejo-event")],
    ordering_key: &[
        Join("/", &[Json("/repository/id"), Json("/pull_request/id")]),
        Join("/", &[Json("/repository/id"), Json("/issue/id")]),
        Join("/", &[Json("/repository/id"), Json("/ref")]),
        Json("/repository/id"),
    ],
    version: &[Json("/pull_request/updated_at"), Json("/issue/updated_at")],
    resends_automatically: false,
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Never sends again by itself.",
    samples: &[Sample {
        event: "issues",
        headers: &[("content-type", "application/json"), ("x-forgejo-event", "issues")],
        body: r#"{"pull_request":{"updated_at":"{{now_rfc3339}}","id":"{{object}}"},"repository":{"id":"main"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
