//! PandaDoc. HMAC-SHA256 of the body in hex, in the query parameter `signature`.
//! <https://developers.pandadoc.com/docs/webhook-verification>

use crate::locate::Locate::{Json, Query};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "pandadoc",
    title: "PandaDoc",
    docs: "https://developers.pandadoc.com/docs/webhook-verification",
    scheme: Scheme::Signed(Signed::hex(Query("signature"))),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/date_modified")],
    events: Events::Each(""),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Many events a request. The signature is in the URL.",
    samples: &[Sample {
        event: "document_state_changed",
        headers: &[("content-type", "application/json")],
        body: r#"[{"data":{"date_modified":"{{now_rfc3339}}","id":"{{object}}"},"event":"document_state_changed"}]"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
