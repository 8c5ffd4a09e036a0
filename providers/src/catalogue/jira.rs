//! Jira Cloud. HMAC-SHA256 of the body in `X-Hub-Signature`, for webhooks an administrator made with a secret.
//! <https://developer.atlassian.com/cloud/jira/platform/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "jira",
    title: "Jira Cloud",
    docs: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).prefix("sha256=")),
    delivery_id: &[Header("x-atlassian-webhook-identifier")],
    event_type: &[Json("/webhookEvent")],
    ordering_key: &[Json("/issue/id"), Json("/project/id")],
    version: &[Json("/timestamp")],
    retry_horizon: Duration::from_secs(2 * 3_600),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "The identifier is unique within one Jira site. Up to 5 retries, 5 to 15 minutes apart. Webhooks of Connect and OAuth apps carry a token instead and are not of this kind.",
    samples: &[
        Sample {
            event: "jira:issue_created",
            headers: &[
                ("content-type", "application/json; charset=utf-8"),
                ("x-atlassian-webhook-identifier", "{{id}}"),
            ],
            body: include_str!("../samples/jira_issue_created.json"),
            object: "10118",
        },
        Sample {
            event: "jira:issue_updated",
            headers: &[
                ("content-type", "application/json; charset=utf-8"),
                ("x-atlassian-webhook-identifier", "{{id}}"),
            ],
            body: include_str!("../samples/jira_issue_updated.json"),
            object: "10118",
        },
        Sample {
            event: "comment_created",
            headers: &[
                ("content-type", "application/json; charset=utf-8"),
                ("x-atlassian-webhook-identifier", "{{id}}"),
            ],
            body: include_str!("../samples/jira_comment_created.json"),
            object: "10118",
        },
    ],
    ..Provider::DEFAULT
};
