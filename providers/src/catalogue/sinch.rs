//! Sinch. HMAC-SHA256 of body, nonce and time, for the Conversation API and SMS.
//! <https://developers.sinch.com/docs/conversation/callbacks/>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sinch",
    title: "Sinch",
    docs: "https://developers.sinch.com/docs/conversation/callbacks/",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-sinch-webhook-signature"))
            .signs(&[
                Part::Body,
                Part::Lit("."),
                Part::Header("x-sinch-webhook-signature-nonce"),
                Part::Lit("."),
                Part::Timestamp,
            ])
            .timestamp(Timestamp::seconds(Header("x-sinch-webhook-signature-timestamp")))
            .only_if(&[("x-sinch-webhook-signature-algorithm", "HmacSHA256")]),
    ),
    ordering_key: &[Json("/message/conversation_id"), Json("/project_id")],
    version: &[Json("/event_time")],
    covers: Coverage { body: true, id: false, event_type: false, time: true },
    quirks: "Voice, Verification and Numbers sign differently and are not of this kind.",
    samples: &[Sample {
        event: "",
        headers: &[
            ("content-type", "application/json"),
            ("x-sinch-webhook-signature-nonce", "01FJA8B4A7BM43YGWSG9GBV067"),
        ],
        body: r#"{"event_time":"{{now_rfc3339}}","message":{"conversation_id":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
