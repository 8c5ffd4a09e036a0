//! fal.ai. Ed25519 over request id, user id, time and the hash of the body.
//! <https://docs.fal.ai/model-endpoints/webhooks>
//!
//! - The secret is a public key of fal's key set (`x`, base64url); give each as a secret.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Encoding, Hash, Part, PublicKey, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

const SIGNS: &[Part] = &[
    Part::Header("x-fal-webhook-request-id"),
    Part::Lit("\n"),
    Part::Header("x-fal-webhook-user-id"),
    Part::Lit("\n"),
    Part::Timestamp,
    Part::Lit("\n"),
    Part::BodyHash(Hash::Sha256, Encoding::Hex),
];

pub(super) const PROVIDER: Provider = Provider {
    name: "fal",
    title: "fal.ai",
    docs: "https://docs.fal.ai/model-endpoints/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-fal-webhook-signature"))
            .encoding(Encoding::HexAnyCase)
            .public_key(PublicKey::Ed25519)
            .signs(SIGNS)
            .timestamp(Timestamp::seconds(Header("x-fal-webhook-timestamp"))),
    ),
    delivery_id: &[Json("/request_id")],
    event_type: &[Json("/status")],
    ordering_key: &[Json("/gateway_request_id")],
    retry_horizon: Duration::from_secs(2 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Ten tries in two hours.",
    samples: &[Sample {
        event: "OK",
        headers: &[
            ("content-type", "application/json"),
            ("x-fal-webhook-request-id", "r-1"),
            ("x-fal-webhook-user-id", "user_1"),
        ],
        body: r#"{"gateway_request_id":"{{object}}","status":"OK","request_id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
