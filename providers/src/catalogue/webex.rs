//! Webex. HMAC-SHA1 of the body in hex.
//! <https://developer.webex.com/docs/api/guides/webhooks>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "webex",
    title: "Webex",
    docs: "https://developer.webex.com/docs/api/guides/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-spark-signature")).hash(Hash::Sha1)),
    delivery_id: &[Join("/", &[Json("/event"), Json("/data/id")])],
    event_type: &[Join(".", &[Json("/resource"), Json("/event")])],
    ordering_key: &[Json("/data/roomId")],
    version: &[Json("/data/created")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The document's own `id` is the webhook's.",
    samples: &[Sample {
        event: "messages.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"id":"wh1","resource":"messages","event":"created","data":{"id":"{{id}}","roomId":"{{object}}","created":"{{now_rfc3339}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
