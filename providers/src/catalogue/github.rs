//! GitHub. HMAC-SHA256 over the raw body, JSON or form; in a form the JSON is the field `payload`, but the form is
//! what is signed. <https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries>
//!
//! - The older `x-hub-signature` (SHA-1) is never looked at: accepting it would be a downgrade.
//! - Nothing is signed but the body: a forger with one captured request can give it another id or event name.
//! - No retries: a failed delivery is sent again only when somebody asks, within three days, with the same id.
//!   <https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks>
//! - Objects have different ids in different events, so the ordering key is the first object the event is about,
//!   within its repository; a push is about its ref.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json, Lit};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Locate, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "github",
    title: "GitHub",
    docs: "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature-256")).prefix("sha256=").refuse_empty_body()),
    form_payload: Some("payload"),
    delivery_id: &[Header("x-github-delivery")],
    event_type: &[Join(".", &[Header("x-github-event"), Json("/action")]), Header("x-github-event")],
    ordering_key: &[
        Join("/", &[REPOSITORY, Lit("pull_request"), Json("/pull_request/id")]),
        Join("/", &[REPOSITORY, Lit("issue"), Json("/issue/id")]),
        Join("/", &[REPOSITORY, Lit("discussion"), Json("/discussion/id")]),
        Join("/", &[REPOSITORY, Lit("workflow_run"), Json("/workflow_run/id")]),
        Join("/", &[REPOSITORY, Lit("workflow_run"), Json("/workflow_job/run_id")]),
        Join("/", &[REPOSITORY, Lit("check_suite"), Json("/check_run/check_suite/id")]),
        Join("/", &[REPOSITORY, Lit("check_suite"), Json("/check_suite/id")]),
        Join("/", &[REPOSITORY, Lit("deployment"), Json("/deployment/id")]),
        Join("/", &[REPOSITORY, Lit("release"), Json("/release/id")]),
        Join("/", &[REPOSITORY, Lit("ref"), Json("/ref")]),
        REPOSITORY,
        Join("/", &[Lit("installation"), Json("/installation/id")]),
        Join("/", &[Lit("organization"), Json("/organization/id")]),
    ],
    version: &[
        Json("/pull_request/updated_at"),
        Json("/issue/updated_at"),
        Json("/discussion/updated_at"),
        Json("/workflow_run/updated_at"),
        Json("/check_suite/updated_at"),
    ],
    // Sent once, when the webhook is made, to see whether it is answered.
    handshake: &[Handshake {
        when: &[When::Is(Header("x-github-event"), "ping")],
        proof: Proof::Signature,
        answer: Answer::Empty,
    }],
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(3 * 86_400),
    resends_automatically: false,
    max_body: Some(25 * 1024 * 1024),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Never retries by itself: redeliver from the webhook's page or the REST API within 3 days. Events over 25 MB are not sent at all. Old requests cannot be told from new ones except by their delivery id.",
    samples: &[
        Sample {
            event: "issues.opened",
            headers: &headers("issues"),
            body: include_str!("../samples/github_issues_opened.json"),
            object: "2417001",
        },
        Sample {
            event: "push",
            headers: &headers("push"),
            body: include_str!("../samples/github_push.json"),
            object: "main",
        },
        Sample {
            event: "pull_request.synchronize",
            headers: &headers("pull_request"),
            body: include_str!("../samples/github_pull_request_synchronize.json"),
            object: "1893344",
        },
        Sample {
            event: "pull_request.opened",
            headers: &headers("pull_request"),
            body: include_str!("../samples/github_pull_request_opened.json"),
            object: "1893345",
        },
        Sample {
            event: "issue_comment.created",
            headers: &headers("issue_comment"),
            body: include_str!("../samples/github_issue_comment_created.json"),
            object: "2417001",
        },
        Sample {
            event: "workflow_run.completed",
            headers: &headers("workflow_run"),
            body: include_str!("../samples/github_workflow_run_completed.json"),
            object: "7003318",
        },
        Sample {
            event: "release.published",
            headers: &headers("release"),
            body: include_str!("../samples/github_release_published.json"),
            object: "118027",
        },
    ],
    ..Provider::DEFAULT
};

const REPOSITORY: Locate = Json("/repository/id");

const fn headers(event: &'static str) -> [(&'static str, &'static str); 3] {
    [("x-github-event", event), ("content-type", "application/json"), ("user-agent", "GitHub-Hookshot/044aadd")]
}
