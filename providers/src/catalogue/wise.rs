//! Wise. RSA (SHA-256) over the body. The secret is Wise's public key, one for production and one for the sandbox.
//! <https://docs.wise.com/guides/developer/webhooks/event-handling>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Hash, PublicKey, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "wise",
    title: "Wise",
    docs: "https://docs.wise.com/guides/developer/webhooks/event-handling",
    scheme: Scheme::Signed(Signed::base64(Header("x-signature-sha256")).public_key(PublicKey::Rsa(Hash::Sha256))),
    delivery_id: &[Header("x-delivery-id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Join("/", &[Json("/data/resource/type"), Json("/data/resource/id")])],
    version: &[Json("/data/occurred_at")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(14 * 86_400),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "At most 25 tries in two weeks, 3 after a status such as 400. The sandbox has another key. That a retry has the same id is unverified.",
    samples: &[Sample {
        event: "transfers#state-change",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"occurred_at":"{{now_rfc3339}}","resource":{"type":"main","id":"{{object}}"}},"event_type":"transfers#state-change"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
