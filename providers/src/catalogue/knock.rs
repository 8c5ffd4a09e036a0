//! Knock. HMAC-SHA256 of time (milliseconds) and body in base64.
//! <https://docs.knock.app/developer-tools/outbound-webhooks/overview>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "knock",
    title: "Knock",
    docs: "https://docs.knock.app/developer-tools/outbound-webhooks/overview",
    scheme: Scheme::Signed(
        Signed::base64(Pair("x-knock-signature", "s"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::milliseconds(Pair("x-knock-signature", "t"))),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/created_at")],
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Up to 8 attempts; a redirect counts as a failure.",
    samples: &[Sample {
        event: "message.sent",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","data":{"id":"{{object}}"},"type":"message.sent","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
