//! Marqeta. HMAC of the body in hex, SHA-1 or SHA-256 as the webhook is set, beside Basic credentials that are not looked at.
//! <https://www.marqeta.com/docs/developer-guides/signature-verification>
//!
//! - Second-hand: the header was read in a copy of Marqeta's sample.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Algorithm, Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "marqeta",
    title: "Marqeta",
    docs: "https://www.marqeta.com/docs/developer-guides/signature-verification",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-marqeta-signature")).algorithm(Algorithm::HmacOf(&[Hash::Sha1, Hash::Sha256])),
    ),
    event_type: &[Json("/transactions/0/type")],
    ordering_key: &[Json("/transactions/0/token")],
    version: &[Json("/transactions/0/created_time")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/pings/0/payload"), "healthcheck")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Many transactions may share a request; switch signing on for the webhook.",
    samples: &[Sample {
        event: "authorization",
        headers: &[("content-type", "application/json")],
        body: r#"{"transactions":[{"created_time":"{{now_rfc3339}}","token":"{{object}}","type":"authorization"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
