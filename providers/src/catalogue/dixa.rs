//! Dixa. HMAC-SHA256 of time (milliseconds) and body; the key is hex.
//! <https://docs.dixa.io/docs/webhooks/webhooks-security>

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{KeyForm, Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "dixa",
    title: "Dixa",
    docs: "https://docs.dixa.io/docs/webhooks/webhooks-security",
    scheme: Scheme::Signed(
        Signed::hex(Pair("x-dixa-signature", "v1"))
            .key(KeyForm::Hex)
            .listing(Listing::TrimmedPairs(","))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::milliseconds(Pair("x-dixa-signature", "t"))),
    ),
    delivery_id: &[Json("/event_id")],
    event_type: &[Json("/event_fqn")],
    ordering_key: &[Json("/data/conversation/csid"), Json("/data/csid")],
    version: &[Json("/event_timestamp")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The secret key is hex and decoded before use.",
    samples: &[Sample {
        event: "CONVERSATION_CREATED",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_id":"{{id}}","event_fqn":"CONVERSATION_CREATED","event_version":"1","event_timestamp":"{{now_rfc3339}}","organization":{"id":"o-118","name":"Kestrel Ltd"},"data":{"conversation":{"csid":{{object}},"channel":"EMAIL","status":"OPEN"}}}"#,
        object: "4118",
    }],
    ..Provider::DEFAULT
};
