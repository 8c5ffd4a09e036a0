//! Segment. HMAC-SHA1 of the body or, of a batch, of its first event only.
//! <https://www.twilio.com/docs/segment/connections/destinations/catalog/webhooks>
//!
//! - All but the first event of a batch are unsigned: keep the batch size at 1 where that matters.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Part, Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "segment",
    title: "Segment",
    docs: "https://www.twilio.com/docs/segment/connections/destinations/catalog/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-signature")).hash(Hash::Sha1).signs(&[Part::FirstElement])),
    delivery_id: &[Json("/messageId")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/userId"), Json("/anonymousId")],
    version: &[Json("/timestamp")],
    events: Events::Each(""),
    retry_horizon: Duration::from_secs(4 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "In a batch only the first event is signed, all others are not signed. Up to 4000 events a request; retries for 4 hours, to every URL until one succeeds.",
    samples: &[Sample {
        event: "track",
        headers: &[("content-type", "application/json")],
        body: r#"[{"timestamp":"{{now_rfc3339}}","userId":"{{object}}","type":"track","messageId":"{{id}}"}]"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
