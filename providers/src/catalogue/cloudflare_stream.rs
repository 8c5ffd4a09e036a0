//! Cloudflare Stream. HMAC-SHA256 of time and body.
//! <https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "cloudflare-stream",
    title: "Cloudflare Stream",
    docs: "https://developers.cloudflare.com/stream/manage-video-library/using-webhooks/",
    scheme: Scheme::Signed(
        Signed::hex(Pair("webhook-signature", "sig1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("webhook-signature", "time"))),
    ),
    event_type: &[Json("/status/state")],
    ordering_key: &[Json("/uid")],
    version: &[Json("/modified")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "One webhook an account. Events have no id: the video and its state tell them apart.",
    samples: &[Sample {
        event: "ready",
        headers: &[("content-type", "application/json")],
        body: r#"{"modified":"{{now_rfc3339}}","uid":"{{object}}","status":{"state":"ready"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
