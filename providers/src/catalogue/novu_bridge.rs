//! Novu Bridge. HMAC-SHA256 of time (milliseconds) and body.
//! <https://docs.novu.co/framework/endpoint>
//!
//! - The documentation says seconds; the sender writes milliseconds.

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "novu-bridge",
    title: "Novu Bridge",
    docs: "https://docs.novu.co/framework/endpoint",
    scheme: Scheme::Signed(
        Signed::hex(Pair("novu-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::milliseconds(Pair("novu-signature", "t"))),
    ),
    ordering_key: &[Json("/subscriber/subscriberId")],
    covers: Coverage { body: true, id: false, event_type: false, time: true },
    quirks: "A bridge request wants its answer in the response: a queue cannot give it.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json")],
        body: r#"{"subscriber":{"subscriberId":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
