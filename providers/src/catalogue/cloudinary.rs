//! Cloudinary. A plain hash (SHA-1 or SHA-256, by the account's setting) of body, time and API secret.
//! <https://cloudinary.com/documentation/notification_signatures>
//!
//! - Cloudinary's own library allows 2 hours and any future time; a day ahead is allowed here.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Algorithm, Hash, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "cloudinary",
    title: "Cloudinary",
    docs: "https://cloudinary.com/documentation/notification_signatures",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-cld-signature"))
            .algorithm(Algorithm::Plain(&[Hash::Sha1, Hash::Sha256]))
            .signs(&[Part::Body, Part::Timestamp, Part::Key])
            .timestamp(Timestamp::seconds(Header("x-cld-timestamp")).within(7_200).ahead(86_400)),
    ),
    delivery_id: &[Json("/request_id")],
    event_type: &[Json("/notification_type")],
    ordering_key: &[Json("/public_id")],
    version: &[Json("/version")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "A plain hash, not an HMAC. `signature` and `timestamp` in the body are something else.",
    samples: &[Sample {
        event: "upload",
        headers: &[("content-type", "application/json")],
        body: r#"{"version":{{now}},"public_id":"{{object}}","notification_type":"upload","request_id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
