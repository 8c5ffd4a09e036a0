//! Front (rule webhooks). HMAC-SHA1 of the body in base64, keyed with the API secret.
//! <https://dev.frontapp.com/docs/rule-webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "front-rule",
    title: "Front (rule webhooks)",
    docs: "https://dev.frontapp.com/docs/rule-webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("x-front-signature")).hash(Hash::Sha1)),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/conversation/id")],
    version: &[Json("/emitted_at")],
    ack_deadline: Duration::from_secs(5),
    resends_automatically: false,
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Never sent again.",
    samples: &[Sample {
        event: "inbound",
        headers: &[("content-type", "application/json")],
        body: r#"{"emitted_at":"{{now}}.5","conversation":{"id":"{{object}}"},"type":"inbound","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
