//! Help Scout. HMAC-SHA1 of the body in base64.
//! <https://developer.helpscout.com/webhooks/>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "helpscout",
    title: "Help Scout",
    docs: "https://developer.helpscout.com/webhooks/",
    scheme: Scheme::Signed(Signed::base64(Header("x-helpscout-signature")).hash(Hash::Sha1)),
    event_type: &[Header("x-helpscout-event")],
    ordering_key: &[Json("/id")],
    version: &[Json("/updatedAt")],
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "The event's name is a header that is not signed.",
    samples: &[Sample {
        event: "convo.updated",
        headers: &[("content-type", "application/json"), ("x-helpscout-event", "convo.updated")],
        body: r#"{"updatedAt":"{{now_rfc3339}}","id":"{{object}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
