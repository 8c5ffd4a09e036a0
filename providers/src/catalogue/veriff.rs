//! Veriff. HMAC-SHA256 of the body in hex, keyed with the shared secret.
//! <https://devdocs.veriff.com/docs/webhooks-guide>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "veriff",
    title: "Veriff",
    docs: "https://devdocs.veriff.com/docs/webhooks-guide",
    scheme: Scheme::Signed(Signed::hex(Header("x-hmac-signature")).encoding(Encoding::HexAnyCase)),
    event_type: &[Json("/action"), Json("/status")],
    ordering_key: &[Json("/id"), Json("/verification/id")],
    version: &[Json("/verification/decisionTime")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id.",
    samples: &[Sample {
        event: "submitted",
        headers: &[("content-type", "application/json")],
        body: r#"{"verification":{"decisionTime":"{{now_rfc3339}}"},"id":"{{object}}","action":"submitted"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
