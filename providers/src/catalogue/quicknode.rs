//! QuickNode. HMAC-SHA256 of nonce, time and body.
//! <https://www.quicknode.com/docs/streams/validating-incoming-streams-webhook-messages>
//!
//! - A compressed body is signed uncompressed: switch compression off, or decompress before verification.

use crate::locate::Locate::Header;
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "quicknode",
    title: "QuickNode",
    docs: "https://www.quicknode.com/docs/streams/validating-incoming-streams-webhook-messages",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-qn-signature"))
            .signs(&[Part::Header("x-qn-nonce"), Part::Timestamp, Part::Body])
            .timestamp(Timestamp::seconds(Header("x-qn-timestamp"))),
    ),
    covers: Coverage { body: true, id: false, event_type: false, time: true },
    quirks: "Compressed bodies are signed uncompressed and are refused here: switch compression off.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json"), ("x-qn-nonce", "n-1")],
        body: r#"{"data":[{"number":"0x7"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
