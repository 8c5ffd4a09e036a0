//! Forgejo. HMAC-SHA256 of the JSON document, which in a form is the decoded field `payload`.
//! <https://forgejo.org/docs/latest/user/webhooks/>
//!
//! - Without a secret the signature header is there and empty, which counts as none.
//! - The timeout of 5 seconds is the default of the server. A redelivery from its pages probably has a new id:
//!   unverified.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "forgejo",
    title: "Forgejo",
    docs: "https://forgejo.org/docs/latest/user/webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-forgejo-signature")).signs(&[Part::Document("payload")])),
    form_payload: Some("payload"),
    delivery_id: &[Header("x-forgejo-delivery")],
    event_type: &[Header("x-forgejo-event")],
    ordering_key: &[
        Join("/", &[Json("/repository/id"), Json("/pull_request/id")]),
        Join("/", &[Json("/repository/id"), Json("/issue/id")]),
        Join("/", &[Json("/repository/id"), Json("/ref")]),
        Json("/repository/id"),
    ],
    version: &[Json("/pull_request/updated_at"), Json("/issue/updated_at")],
    ack_deadline: Duration::from_secs(5),
    resends_automatically: false,
    redelivery_keeps_id: false,
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Never sends again by itself; a redelivery by hand may have a new id. Waits 5 seconds unless the server says otherwise.",
    samples: &[Sample {
        event: "issues",
        headers: &[("content-type", "application/json"), ("x-forgejo-event", "issues")],
        body: r#"{"pull_request":{"updated_at":"{{now_rfc3339}}","id":"{{object}}"},"repository":{"id":"main"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
