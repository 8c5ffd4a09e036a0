//! Close. HMAC-SHA256 of time and body; the key is hex.
//! <https://developer.close.com/api/resources/webhooks>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{KeyForm, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "close",
    title: "Close",
    docs: "https://developer.close.com/api/resources/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("close-sig-hash"))
            .key(KeyForm::Hex)
            .signs(&[Part::Timestamp, Part::Body])
            .timestamp(Timestamp::seconds(Header("close-sig-timestamp"))),
    ),
    delivery_id: &[Json("/event/id")],
    event_type: &[Join(".", &[Json("/event/object_type"), Json("/event/action")])],
    ordering_key: &[Json("/event/object_id")],
    version: &[Json("/event/date_updated")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "The signature key is hex and decoded before use.",
    samples: &[Sample {
        event: "lead.updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"event":{"date_updated":"{{now_rfc3339}}","object_id":"{{object}}","object_type":"lead","action":"updated","id":"{{id}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
