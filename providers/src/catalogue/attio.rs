//! Attio. HMAC-SHA256 of the body in hex, under a current and an older header name.
//! <https://docs.attio.com/rest-api/guides/webhooks>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Listing, Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "attio",
    title: "Attio",
    docs: "https://docs.attio.com/rest-api/guides/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("attio-signature")).listing(Listing::AlsoIn("x-attio-signature"))),
    event_type: &[Json("/event_type")],
    ordering_key: &[
        Join("/", &[Json("/id/object_id"), Json("/id/record_id")]),
        Join("/", &[Json("/id/list_id"), Json("/id/entry_id")]),
        Json("/id/workspace_id"),
    ],
    events: Events::Each("/events"),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "A request may have no events.",
    samples: &[Sample {
        event: "record.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"events":[{"id":{"object_id":"main","record_id":"{{object}}"},"event_type":"record.created"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
