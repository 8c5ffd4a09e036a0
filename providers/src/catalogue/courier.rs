//! Courier. HMAC-SHA256 of time (milliseconds) and body.
//! <https://www.courier.com/docs/platform/workspaces/outbound-webhooks>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "courier",
    title: "Courier",
    docs: "https://www.courier.com/docs/platform/workspaces/outbound-webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("courier-signature", "signature"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::milliseconds(Pair("courier-signature", "t"))),
    ),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "One event, `message:updated`, for every status of a message.",
    samples: &[Sample {
        event: "message:updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"updated":{{now}}000,"id":"{{object}}"},"type":"message:updated"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
