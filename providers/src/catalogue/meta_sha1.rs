//! Meta (older signature). HMAC-SHA1 of the body, for senders that copied Meta's older scheme. Meta itself: use `meta`.
//! <https://developers.facebook.com/docs/graph-api/webhooks/getting-started>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json, Query};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "meta-sha1",
    title: "Meta (older signature)",
    docs: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).hash(Hash::Sha1).prefix("sha1=")),
    event_type: &[Json("/changes/0/field")],
    ordering_key: &[Json("/id")],
    version: &[Json("/time")],
    events: Events::Each("/entry"),
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Is(Query("hub.mode"), "subscribe")],
        proof: Proof::Token(Query("hub.verify_token")),
        answer: Answer::Text(Query("hub.challenge")),
    }],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "For compatibility only: Meta sends the SHA-256 signature beside it.",
    samples: &[Sample {
        event: "feed",
        headers: &[("content-type", "application/json")],
        body: r#"{"entry":[{"time":{{now}},"id":"{{object}}","changes":[{"field":"feed"}]}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
