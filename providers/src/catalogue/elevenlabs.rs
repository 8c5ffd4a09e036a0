//! ElevenLabs. HMAC-SHA256 of time and body.
//! <https://elevenlabs.io/docs/overview/administration/webhooks>
//!
//! - ElevenLabs' own library allows 30 minutes and any future time; a day ahead is allowed here.

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "elevenlabs",
    title: "ElevenLabs",
    docs: "https://elevenlabs.io/docs/overview/administration/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("elevenlabs-signature", "v0"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("elevenlabs-signature", "t")).within(1_800).ahead(86_400)),
    ),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/conversation_id")],
    version: &[Json("/event_timestamp")],
    resends_automatically: false,
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Sent once; disabled after 10 failures in a row.",
    samples: &[Sample {
        event: "post_call_transcription",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_timestamp":{{now}},"data":{"conversation_id":"{{object}}"},"type":"post_call_transcription"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
