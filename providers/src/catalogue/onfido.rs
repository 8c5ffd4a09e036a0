//! Onfido. HMAC-SHA256 of the body in hex.
//! <https://documentation.identity.entrust.com/api/latest/#webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "onfido",
    title: "Onfido",
    docs: "https://documentation.identity.entrust.com/api/latest/#webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-sha2-signature"))),
    event_type: &[Json("/payload/action")],
    ordering_key: &[Json("/payload/object/id")],
    version: &[Json("/payload/object/completed_at_iso8601")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id.",
    samples: &[Sample {
        event: "check.completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"payload":{"resource_type":"check","action":"check.completed","object":{"id":"{{object}}","status":"complete","completed_at_iso8601":"{{now_rfc3339}}"}}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
