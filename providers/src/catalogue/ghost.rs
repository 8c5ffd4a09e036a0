//! Ghost. HMAC-SHA256 of the body and then, without a separator, the time in milliseconds.
//! <https://docs.ghost.org/webhooks>
//!
//! - A digit could move between the end of a body and the time; JSON does not end in one.

use std::time::Duration;

use crate::locate::Locate::{IfPresent, Join, Json, Lit, Pair};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "ghost",
    title: "Ghost",
    docs: "https://docs.ghost.org/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-ghost-signature", "sha256"))
            .listing(Listing::Pairs(", "))
            .signs(&[Part::Body, Part::Timestamp])
            .timestamp(Timestamp::milliseconds(Pair("x-ghost-signature", "t"))),
    ),
    event_type: &[
        IfPresent("/post", "post"),
        IfPresent("/page", "page"),
        IfPresent("/member", "member"),
        IfPresent("/tag", "tag"),
    ],
    ordering_key: &[
        Join("/", &[Lit("post"), Json("/post/current/id")]),
        Join("/", &[Lit("page"), Json("/page/current/id")]),
        Join("/", &[Lit("member"), Json("/member/current/id")]),
    ],
    version: &[Json("/post/current/updated_at"), Json("/page/current/updated_at")],
    ack_deadline: Duration::from_secs(2),
    retry_horizon: Duration::from_secs(60),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Waits 2 seconds only. 410 deletes the webhook. The body does not name the event, only the kind of thing it is about.",
    samples: &[Sample {
        event: "post",
        headers: &[("content-type", "application/json")],
        body: r#"{"post":{"current":{"id":"{{object}}","title":"Hello","updated_at":"{{now_rfc3339}}"},"previous":{}}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
