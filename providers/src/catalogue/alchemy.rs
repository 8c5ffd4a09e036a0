//! Alchemy. HMAC-SHA256 of the body in hex.
//! <https://www.alchemy.com/docs/reference/notify-api-quickstart>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "alchemy",
    title: "Alchemy",
    docs: "https://www.alchemy.com/docs/reference/notify-api-quickstart",
    scheme: Scheme::Signed(Signed::hex(Header("x-alchemy-signature"))),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/webhookId")],
    version: &[Json("/createdAt")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Each webhook has a signing key of its own, used as text though it starts with `whsec_`.",
    samples: &[Sample {
        event: "ADDRESS_ACTIVITY",
        headers: &[("content-type", "application/json")],
        body: r#"{"createdAt":"{{now_rfc3339}}","webhookId":"{{object}}","type":"ADDRESS_ACTIVITY","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
