//! Statsig. HMAC-SHA256 of version, time (milliseconds) and body.
//! <https://docs.statsig.com/integrations/event_webhook>
//!
//! - Second-hand: read from independent implementations.
//! - The URL is checked with an unsigned `url_verification`, whose code is sent back: it gives nothing away.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "statsig",
    title: "Statsig",
    docs: "https://docs.statsig.com/integrations/event_webhook",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-statsig-signature"))
            .prefix("v0=")
            .signs(&[Part::Lit("v0:"), Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::milliseconds(Header("x-statsig-request-timestamp"))),
    ),
    event_type: &[Join(".", &[Json("/metadata/type"), Json("/metadata/action")]), Json("/eventName")],
    ordering_key: &[Json("/metadata/name"), Json("/user/userID")],
    version: &[Json("/timestamp")],
    events: Events::Each("/data"),
    handshake: &[Handshake {
        when: &[When::Is(Json("/data/event"), "url_verification")],
        proof: Proof::Nothing,
        answer: Answer::Json("verification_code", Json("/data/verification_code")),
    }],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Config changes come many to a request and have no id. Exposures come as a bare array, which is one event here.",
    samples: &[Sample {
        event: "Feature Gate.updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":[{"eventName":"statsig::config_change","timestamp":{{now}}000,"user":{"name":"Ada"},"metadata":{"type":"Feature Gate","name":"{{object}}","action":"updated","description":"Rolled out to 20%"}}]}"#,
        object: "new_checkout",
    }],
    ..Provider::DEFAULT
};
