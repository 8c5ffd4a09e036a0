//! Modern Treasury. HMAC-SHA256 of the body in hex.
//! <https://docs.moderntreasury.com/platform/docs/webhooks-overview>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "modern-treasury",
    title: "Modern Treasury",
    docs: "https://docs.moderntreasury.com/platform/docs/webhooks-overview",
    scheme: Scheme::Signed(Signed::hex(Header("x-signature"))),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated_at")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id.",
    samples: &[Sample {
        event: "completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"updated_at":"{{now_rfc3339}}","id":"{{object}}"},"event":"completed"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
