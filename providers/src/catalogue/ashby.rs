//! Ashby. HMAC-SHA256 of the body in hex behind `sha256=`.
//! <https://developers.ashbyhq.com/docs/authenticating-webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "ashby",
    title: "Ashby",
    docs: "https://developers.ashbyhq.com/docs/authenticating-webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("ashby-signature")).prefix("sha256=")),
    event_type: &[Json("/action")],
    ordering_key: &[Json("/data/application/id"), Json("/data/candidate/id")],
    version: &[Json("/data/application/updatedAt")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Read from an independent implementation.",
    samples: &[Sample {
        event: "applicationUpdate",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"application":{"updatedAt":"{{now_rfc3339}}","id":"{{object}}"}},"action":"applicationUpdate"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
