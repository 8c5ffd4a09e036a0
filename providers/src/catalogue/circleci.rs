//! CircleCI. HMAC-SHA256 of the body in hex, under `v1` in a list of versions.
//! <https://circleci.com/docs/guides/integration/outbound-webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "circleci",
    title: "CircleCI",
    docs: "https://circleci.com/docs/guides/integration/outbound-webhooks/",
    scheme: Scheme::Signed(Signed::hex(Pair("circleci-signature", "v1"))),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/workflow/id"), Json("/job/id")],
    version: &[Json("/happened_at")],
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Only version `v1` is known; others in the list are passed over.",
    samples: &[Sample {
        event: "workflow-completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"happened_at":"{{now_rfc3339}}","workflow":{"id":"{{object}}"},"type":"workflow-completed","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
