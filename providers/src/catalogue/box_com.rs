//! Box. HMAC-SHA256 of the body and then the time (RFC 3339), one for each of two keys.
//! <https://developer.box.com/guides/webhooks/v2/signatures-v2/>
//!
//! - Give both keys as secrets; either signature may match under either.
//! - The body is signed as sent, with its escapes.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "box",
    title: "Box",
    docs: "https://developer.box.com/guides/webhooks/v2/signatures-v2/",
    scheme: Scheme::Signed(
        Signed::base64(Header("box-signature-primary"))
            .listing(Listing::AlsoIn("box-signature-secondary"))
            .signs(&[Part::Body, Part::Timestamp])
            .timestamp(Timestamp::rfc3339(Header("box-delivery-timestamp")).within(600))
            .only_with(&[("box-signature-version", "1"), ("box-signature-algorithm", "HmacSHA256")]),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/trigger")],
    ordering_key: &[Json("/source/id")],
    version: &[Json("/created_at")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Two keys, primary and secondary, so that one can be changed at a time. That a retry has the same id is unverified.",
    samples: &[Sample {
        event: "FILE.UPLOADED",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","source":{"id":"{{object}}"},"trigger":"FILE.UPLOADED","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
