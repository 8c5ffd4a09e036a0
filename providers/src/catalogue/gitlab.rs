//! GitLab. A signing token (Standard Webhooks, since 19.0) or the older secret token, sent as it is.
//! <https://docs.gitlab.com/user/project/integrations/webhooks/>
//!
//! - A request with `webhook-signature` is judged by it alone and never falls back to the token beside it.
//! - `X-Gitlab-Event-UUID` is shared by webhooks that set off each other, so it is no delivery id.
//! - A custom template can change the body into anything.

use std::time::Duration;

use crate::locate::Locate::{Family, Header, Join, Json};
use crate::scheme::{Scheme, StandardWebhooks, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "gitlab",
    title: "GitLab",
    docs: "https://docs.gitlab.com/user/project/integrations/webhooks/",
    scheme: Scheme::FirstCarried(&[
        Scheme::StandardWebhooks(StandardWebhooks::DEFAULT),
        Scheme::Token(Token::at(Header("x-gitlab-token"))),
    ]),
    families: &["webhook-"],
    delivery_id: &[Family("id"), Header("idempotency-key")],
    event_type: &[
        Join(".", &[Json("/object_kind"), Json("/object_attributes/action")]),
        Json("/object_kind"),
        Json("/event_name"),
    ],
    ordering_key: &[
        Join("/", &[Json("/project/id"), Json("/object_attributes/id")]),
        Join("/", &[Json("/project/id"), Json("/ref")]),
        Json("/project/id"),
        Json("/project_id"),
    ],
    version: &[Json("/object_attributes/updated_at")],
    ack_deadline: Duration::from_secs(10),
    resends_automatically: false,
    max_body: Some(25 * 1024 * 1024),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Disables a webhook for a while after 4 failures in a row and for good after 40. With a secret token only, nothing in the request is signed.",
    samples: &[
        Sample {
            event: "push",
            headers: &[
                ("content-type", "application/json"),
                ("x-gitlab-event", "Push Hook"),
                ("x-gitlab-instance", "https://gitlab.example.com"),
            ],
            body: include_str!("../samples/gitlab_push.json"),
            object: "refs/heads/main",
        },
        Sample {
            event: "merge_request.open",
            headers: &[
                ("content-type", "application/json"),
                ("x-gitlab-event", "Merge Request Hook"),
                ("x-gitlab-instance", "https://gitlab.example.com"),
            ],
            body: include_str!("../samples/gitlab_merge_request_open.json"),
            object: "9024117",
        },
        Sample {
            event: "issue.open",
            headers: &[
                ("content-type", "application/json"),
                ("x-gitlab-event", "Issue Hook"),
                ("x-gitlab-instance", "https://gitlab.example.com"),
            ],
            body: include_str!("../samples/gitlab_issue_open.json"),
            object: "301",
        },
        Sample {
            event: "pipeline",
            headers: &[
                ("content-type", "application/json"),
                ("x-gitlab-event", "Pipeline Hook"),
                ("x-gitlab-instance", "https://gitlab.example.com"),
            ],
            body: include_str!("../samples/gitlab_pipeline.json"),
            object: "31",
        },
    ],
    ..Provider::DEFAULT
};
