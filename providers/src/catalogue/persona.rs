//! Persona. HMAC-SHA256 of time and body; during rotation two pairs of time and signature, separated by a space.
//! <https://docs.withpersona.com/webhooks-best-practices>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "persona",
    title: "Persona",
    docs: "https://docs.withpersona.com/webhooks-best-practices",
    scheme: Scheme::Signed(
        Signed::hex(Pair("persona-signature", "v1"))
            .listing(Listing::Groups)
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("persona-signature", "t"))),
    ),
    delivery_id: &[Json("/data/id")],
    event_type: &[Json("/data/attributes/name")],
    ordering_key: &[Json("/data/attributes/payload/data/id")],
    version: &[Json("/data/attributes/created-at")],
    ack_deadline: Duration::from_secs(5),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Up to 7 more attempts.",
    samples: &[Sample {
        event: "inquiry.completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"attributes":{"created-at":"{{now_rfc3339}}","payload":{"data":{"id":"{{object}}"}},"name":"inquiry.completed"},"id":"{{id}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
