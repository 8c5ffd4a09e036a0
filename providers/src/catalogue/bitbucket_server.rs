//! Bitbucket Data Center. HMAC-SHA256 of the body in `X-Hub-Signature`.
//! <https://confluence.atlassian.com/bitbucketserver/manage-webhooks-938025878.html>
//!
//! - `X-Request-Id` is new for each request: no delivery id.
//! - The test of a connection (`diagnostics:ping`) comes unsigned, as far as is known; it is answered and carries
//!   nothing.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "bitbucket-server",
    title: "Bitbucket Data Center",
    docs: "https://confluence.atlassian.com/bitbucketserver/manage-webhooks-938025878.html",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).prefix("sha256=")),
    event_type: &[Header("x-event-key")],
    ordering_key: &[Join("/", &[Json("/repository/id"), Json("/pullRequest/id")]), Json("/repository/id")],
    version: &[Json("/pullRequest/updatedDate")],
    handshake: &[Handshake {
        when: &[
            When::Is(Header("x-event-key"), "diagnostics:ping"),
            When::Present(Json("/test")),
            When::Absent(Header("x-hub-signature")),
        ],
        proof: Proof::Nothing,
        answer: Answer::Empty,
    }],
    resends_automatically: false,
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Skips a webhook for 10 seconds to 10 hours after 5 failures in a row.",
    samples: &[Sample {
        event: "pr:opened",
        headers: &[("content-type", "application/json"), ("x-event-key", "pr:opened")],
        body: r#"{"pullRequest":{"updatedDate":{{now}}000,"id":"{{object}}"},"repository":{"id":"main"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
