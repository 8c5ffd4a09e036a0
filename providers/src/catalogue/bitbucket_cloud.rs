//! Bitbucket Cloud. HMAC-SHA256 of the body in `X-Hub-Signature`, the name GitHub uses for SHA-1.
//! <https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/>
//!
//! - `X-Request-UUID` names a request; that it stays the same over retries is not documented, so no delivery id is
//!   declared.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "bitbucket-cloud",
    title: "Bitbucket Cloud",
    docs: "https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).prefix("sha256=")),
    event_type: &[Header("x-event-key")],
    ordering_key: &[Join("/", &[Json("/repository/uuid"), Json("/pullrequest/id")]), Json("/repository/uuid")],
    version: &[Json("/pullrequest/updated_on")],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(3600),
    max_body: Some(256 * 1024),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Sends again at most twice, and only after a 5xx. Payloads above 256 KB may not be sent at all.",
    samples: &[Sample {
        event: "pullrequest:updated",
        headers: &[("content-type", "application/json"), ("x-event-key", "pullrequest:updated")],
        body: r#"{"pullrequest":{"updated_on":"{{now_rfc3339}}","id":"{{object}}"},"repository":{"uuid":"main"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
