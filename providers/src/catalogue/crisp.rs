//! Crisp. HMAC-SHA256 of `[time;body]`, time in milliseconds.
//! <https://docs.crisp.chat/guides/web-hooks/signing/>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "crisp",
    title: "Crisp",
    docs: "https://docs.crisp.chat/guides/web-hooks/signing/",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-crisp-signature"))
            .signs(&[Part::Lit("["), Part::Timestamp, Part::Lit(";"), Part::Body, Part::Lit("]")])
            .timestamp(Timestamp::milliseconds(Header("x-crisp-request-timestamp"))),
    ),
    event_type: &[Json("/event")],
    ordering_key: &[Join("/", &[Json("/website_id"), Json("/data/session_id")]), Json("/website_id")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Read from independent implementations.",
    samples: &[Sample {
        event: "message:send",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":{{now}}000,"website_id":"main","data":{"session_id":"{{object}}"},"event":"message:send"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
