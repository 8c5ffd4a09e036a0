//! WorkOS. HMAC-SHA256 of time (milliseconds) and body; a comma and a space between the pairs.
//! <https://workos.com/docs/events/data-syncing/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "workos",
    title: "WorkOS",
    docs: "https://workos.com/docs/events/data-syncing/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("workos-signature", "v1"))
            .listing(Listing::TrimmedPairs(", "))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::milliseconds(Pair("workos-signature", "t")).within(180)),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated_at")],
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "No promise of order: compare `data.updated_at`.",
    samples: &[Sample {
        event: "dsync.user.updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"updated_at":"{{now_rfc3339}}","id":"{{object}}"},"event":"dsync.user.updated","id":"{{id}}"}"#,
        object: "directory_user_7Yk2",
    }],
    ..Provider::DEFAULT
};
