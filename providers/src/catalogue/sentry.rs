//! Sentry. HMAC-SHA256 of the body in hex, keyed with the client secret.
//! <https://docs.sentry.io/organization/integrations/integration-platform/webhooks/>
//!
//! - `Sentry-Hook-Timestamp` is not signed, so it proves nothing.
//! - `Request-ID` is new for each attempt: no delivery id.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sentry",
    title: "Sentry",
    docs: "https://docs.sentry.io/organization/integrations/integration-platform/webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("sentry-hook-signature"))),
    event_type: &[Join(".", &[Header("sentry-hook-resource"), Json("/action")]), Header("sentry-hook-resource")],
    ordering_key: &[Json("/data/issue/id"), Json("/data/error/event_id"), Json("/installation/uuid")],
    version: &[Header("sentry-hook-timestamp")],
    ack_deadline: Duration::from_secs(1),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Wants an answer within a second and unsubscribes after 1000 timeouts in a day.",
    samples: &[Sample {
        event: "issue.resolved",
        headers: &[
            ("content-type", "application/json"),
            ("sentry-hook-timestamp", "{{now}}"),
            ("sentry-hook-resource", "issue"),
        ],
        body: r#"{"action":"resolved","installation":{"uuid":"a8e5d37a"},"data":{"issue":{"id":"{{object}}","title":"TypeError","level":"error"}}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
