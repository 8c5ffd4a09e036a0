//! Buildkite. HMAC-SHA256 of time and body, or the token as it is, by the webhook's setting.
//! <https://buildkite.com/docs/apis/webhooks>

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json, Pair};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp, Token};
use crate::{Coverage, Provider, Sample};

const HEADER: &str = "x-buildkite-signature";
const SIGNATURE: Signed = Signed::hex(Pair(HEADER, "signature"))
    .listing(Listing::TrimmedPairs(","))
    .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
    .timestamp(Timestamp::seconds(Pair(HEADER, "timestamp")));

pub(super) const PROVIDER: Provider = Provider {
    name: "buildkite",
    title: "Buildkite",
    docs: "https://buildkite.com/docs/apis/webhooks",
    scheme: Scheme::FirstCarried(&[Scheme::Signed(SIGNATURE), Scheme::Token(Token::at(Header("x-buildkite-token")))]),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/build/id"), Json("/job/id"), Json("/agent/id")],
    version: &[Json("/build/number")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/event"), "ping")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    resends_automatically: false,
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Not sent again. An event may show a later state than the one it announces.",
    samples: &[Sample {
        event: "build.finished",
        headers: &[("content-type", "application/json")],
        body: r#"{"build":{"number":42,"id":"{{object}}"},"event":"build.finished"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
