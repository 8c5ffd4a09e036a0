//! Pylon. HMAC-SHA256 of time and body in hex behind `hs256=`.
//! <https://docs.usepylon.com/pylon-docs/developer/webhooks>
//!
//! - The body is a template of yours: nothing in it has a fixed place.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "pylon",
    title: "Pylon",
    docs: "https://docs.usepylon.com/pylon-docs/developer/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("pylon-webhook-signature"))
            .prefix("hs256=")
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Header("pylon-webhook-timestamp"))),
    ),
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/data/id"), Json("/issue_id")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "The body is a template of yours: put the kind of event under event_type and the issue under issue_id. Five attempts; inactive after 7 days without success.",
    samples: &[Sample {
        event: "issue.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_type":"issue.created","issue_id":"{{object}}","title":"Login is broken","account":"Kestrel Ltd"}"#,
        object: "issue_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
