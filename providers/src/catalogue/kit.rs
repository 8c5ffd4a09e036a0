//! Kit (formerly ConvertKit). HMAC-SHA256 of time and body, one `v1` a live secret.
//! <https://developers.kit.com/webhooks/verifying-signatures>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "kit",
    title: "Kit",
    docs: "https://developers.kit.com/webhooks/verifying-signatures",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-kit-signature", "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("x-kit-signature", "t"))),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/subscriber/id"), Json("/data/broadcast/id")],
    version: &[Json("/created")],
    events: Events::Each("/events"),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Up to 100 events of one type a request. Retries are signed again when they are sent.",
    samples: &[Sample {
        event: "subscriber.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"delivery_id":118,"events":[{"id":"{{id}}","type":"subscriber.created","created":"{{now_rfc3339}}","data":{"subscriber":{"id":{{object}},"first_name":"Ada","email_address":"ada@example.com","state":"active","fields":{}}}}]}"#,
        object: "987654",
    }],
    ..Provider::DEFAULT
};
