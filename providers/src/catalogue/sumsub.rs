//! Sumsub. HMAC of the body in hex, SHA-256 or SHA-512 as a header says.
//! <https://docs.sumsub.com/docs/webhook-manager>
//!
//! - The header is the sender's, so the deprecated SHA-1 is not on the list.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Algorithm, Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

const HASHES: &[(&str, Hash)] = &[("HMAC_SHA256_HEX", Hash::Sha256), ("HMAC_SHA512_HEX", Hash::Sha512)];

pub(super) const PROVIDER: Provider = Provider {
    name: "sumsub",
    title: "Sumsub",
    docs: "https://docs.sumsub.com/docs/webhook-manager",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-payload-digest")).algorithm(Algorithm::HmacNamedIn("x-payload-digest-alg", HASHES)),
    ),
    delivery_id: &[Json("/correlationId")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/applicantId")],
    version: &[Json("/createdAtMs")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "SHA-1 is refused: choose SHA-256 or SHA-512 in the webhook's settings.",
    samples: &[Sample {
        event: "applicantReviewed",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdAtMs":"2025-11-30T10:00:00Z","applicantId":"{{object}}","type":"applicantReviewed","correlationId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
