//! Sanity. HMAC-SHA256 of time (milliseconds) and body in unpadded base64url.
//! <https://www.sanity.io/docs/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json, Pair};
use crate::scheme::{Encoding, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sanity",
    title: "Sanity",
    docs: "https://www.sanity.io/docs/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair("sanity-webhook-signature", "v1"))
            .encoding(Encoding::Base64UrlUnpadded)
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::milliseconds(Pair("sanity-webhook-signature", "t")))
            .refuse_empty_body(),
    ),
    delivery_id: &[Header("idempotency-key")],
    event_type: &[Json("/_type")],
    ordering_key: &[Json("/_id")],
    version: &[Json("/_updatedAt")],
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "The body is a projection of yours: keep `_id`, `_type` and `_updatedAt` in it.",
    samples: &[Sample {
        event: "post",
        headers: &[("content-type", "application/json")],
        body: r#"{"_updatedAt":"{{now_rfc3339}}","_id":"{{object}}","_type":"post"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
