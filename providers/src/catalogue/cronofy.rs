//! Cronofy. HMAC-SHA256 of the body in base64, one a live secret, separated by commas.
//! <https://docs.cronofy.com/developers/api/push-notifications/authentication/>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Listing, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "cronofy",
    title: "Cronofy",
    docs: "https://docs.cronofy.com/developers/api/push-notifications/authentication/",
    scheme: Scheme::Signed(Signed::base64(Header("cronofy-hmac-sha256")).listing(Listing::Separated(","))),
    event_type: &[Json("/notification/type")],
    ordering_key: &[Json("/channel/channel_id")],
    version: &[Json("/notification/changes_since")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "The body is thin: read the changes since the time it names.",
    samples: &[Sample {
        event: "change",
        headers: &[("content-type", "application/json")],
        body: r#"{"notification":{"changes_since":"{{now_rfc3339}}","type":"change"},"channel":{"channel_id":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
