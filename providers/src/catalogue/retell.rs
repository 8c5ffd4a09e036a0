//! Retell AI. HMAC-SHA256 of the body and then the time (milliseconds), keyed with the API key.
//! <https://docs.retellai.com/features/secure-webhook>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Encoding, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "retell",
    title: "Retell AI",
    docs: "https://docs.retellai.com/features/secure-webhook",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-retell-signature", "d"))
            .encoding(Encoding::HexAnyCase)
            .signs(&[Part::Body, Part::Timestamp])
            .timestamp(Timestamp::milliseconds(Pair("x-retell-signature", "v"))),
    ),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/call/call_id")],
    version: &[Json("/call/end_timestamp")],
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Three retries.",
    samples: &[Sample {
        event: "call_ended",
        headers: &[("content-type", "application/json")],
        body: r#"{"call":{"end_timestamp":{{now}}000,"call_id":"{{object}}"},"event":"call_ended"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
