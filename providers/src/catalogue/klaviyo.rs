//! Klaviyo. HMAC-SHA256 of the body and then the time.
//! <https://developers.klaviyo.com/en/reference/webhooks_api_overview>
//!
//! - Second-hand: read from independent implementations, not from Klaviyo's page.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "klaviyo",
    title: "Klaviyo",
    docs: "https://developers.klaviyo.com/en/reference/webhooks_api_overview",
    scheme: Scheme::Signed(
        Signed::hex(Header("klaviyo-signature"))
            .signs(&[Part::Body, Part::Timestamp])
            .timestamp(Timestamp::seconds(Header("klaviyo-timestamp"))),
    ),
    event_type: &[Json("/topic")],
    events: Events::Each("/data"),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Second-hand: confirm with a test event before relying on it.",
    samples: &[Sample {
        event: "event:klaviyo.sent_email",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":[{"topic":"event:klaviyo.sent_email"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
