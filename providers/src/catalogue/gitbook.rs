//! GitBook. HMAC-SHA256 of time and body.
//! <https://gitbook.com/docs/developers/integrations>
//!
//! - Retries repeat the time and signature of the first attempt.

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "gitbook",
    title: "GitBook",
    docs: "https://gitbook.com/docs/developers/integrations",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-gitbook-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("x-gitbook-signature", "t"))),
    ),
    delivery_id: &[Json("/eventId")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/spaceId"), Json("/siteId")],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(60),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Three retries within seconds.",
    samples: &[Sample {
        event: "space_content_updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"spaceId":"{{object}}","type":"space_content_updated","eventId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
