//! EmailOctopus. HMAC-SHA256 of the body in hex behind `sha256=`.
//! <https://emailoctopus.com/api-documentation/v2#tag/Webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "emailoctopus",
    title: "EmailOctopus",
    docs: "https://emailoctopus.com/api-documentation/v2#tag/Webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("emailoctopus-signature")).prefix("sha256=")),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/contact_id")],
    version: &[Json("/occurred_at")],
    events: Events::Each(""),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Many events a request.",
    samples: &[Sample {
        event: "contact.created",
        headers: &[("content-type", "application/json")],
        body: r#"[{"occurred_at":"{{now_rfc3339}}","contact_id":"{{object}}","type":"contact.created","id":"{{id}}"}]"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
