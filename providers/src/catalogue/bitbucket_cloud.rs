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
    retry_horizon: Duration::from_secs(3_600),
    max_body: Some(256 * 1024),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Sends again at most twice, and only after a 5xx. Payloads above 256 KB may not be sent at all.",
    samples: &[
        Sample {
            event: "repo:push",
            headers: &[
                ("content-type", "application/json"),
                ("user-agent", "Bitbucket-Webhooks/2.0"),
                ("x-event-key", "repo:push"),
                ("x-attempt-number", "1"),
            ],
            body: include_str!("../samples/bitbucket_cloud_repo_push.json"),
            object: "{7c1d0e9a-118}",
        },
        Sample {
            event: "pullrequest:created",
            headers: &[
                ("content-type", "application/json"),
                ("user-agent", "Bitbucket-Webhooks/2.0"),
                ("x-event-key", "pullrequest:created"),
                ("x-attempt-number", "1"),
            ],
            body: include_str!("../samples/bitbucket_cloud_pullrequest_created.json"),
            object: "118",
        },
        Sample {
            event: "pullrequest:fulfilled",
            headers: &[
                ("content-type", "application/json"),
                ("user-agent", "Bitbucket-Webhooks/2.0"),
                ("x-event-key", "pullrequest:fulfilled"),
                ("x-attempt-number", "1"),
            ],
            body: include_str!("../samples/bitbucket_cloud_pullrequest_fulfilled.json"),
            object: "118",
        },
    ],
    ..Provider::DEFAULT
};
