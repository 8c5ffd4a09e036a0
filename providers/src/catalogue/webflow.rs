//! Webflow. HMAC-SHA256 of time (milliseconds) and body.
//! <https://developers.webflow.com/data/docs/working-with-webhooks>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "webflow",
    title: "Webflow",
    docs: "https://developers.webflow.com/data/docs/working-with-webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-webflow-signature"))
            .signs(&[Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::milliseconds(Header("x-webflow-timestamp"))),
    ),
    delivery_id: &[Json("/payload/id")],
    event_type: &[Json("/triggerType")],
    ordering_key: &[Json("/payload/formElementId"), Json("/payload/siteId")],
    version: &[Json("/payload/submittedAt")],
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Webhooks made in the dashboard are not signed: make them through the API.",
    samples: &[Sample {
        event: "form_submission",
        headers: &[("content-type", "application/json")],
        body: r#"{"payload":{"submittedAt":"{{now_rfc3339}}","formElementId":"{{object}}","id":"{{id}}"},"triggerType":"form_submission"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
