//! Alloy. HMAC-SHA256 of the body in base64, bare in `Authorization`, where that is what was chosen.
//! <https://developer.alloy.com/public/docs/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "alloy",
    title: "Alloy",
    docs: "https://developer.alloy.com/public/docs/webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("authorization"))),
    delivery_id: &[Json("/request_token")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/evaluation_token")],
    version: &[Json("/timestamp")],
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Disabled after 100 failures in 72 hours.",
    samples: &[Sample {
        event: "evaluation",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":{{now}}000,"data":{"evaluation_token":"{{object}}"},"type":"evaluation","request_token":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
