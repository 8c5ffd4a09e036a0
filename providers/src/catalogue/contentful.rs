//! Contentful. HMAC-SHA256 of method, path, the headers it lists, and the body; 30 seconds of tolerance.
//! <https://www.contentful.com/developers/docs/webhooks/request-verification/>
//!
//! - The list of signed headers is itself signed.
//! - The attempt is one of them, so each retry has another signature.
//! - The idempotency key is the delivery id; it counts as not signed, since whether it is depends on the list.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

const SIGNS: &[Part] = &[
    Part::Method,
    Part::Lit("\n"),
    Part::TargetEscapedTwice,
    Part::Lit("\n"),
    Part::HeadersListedIn("x-contentful-signed-headers", "x-contentful-timestamp"),
    Part::Lit("\n"),
    Part::Body,
];

pub(super) const PROVIDER: Provider = Provider {
    name: "contentful",
    title: "Contentful",
    docs: "https://www.contentful.com/developers/docs/webhooks/request-verification/",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-contentful-signature"))
            .signs(SIGNS)
            .timestamp(Timestamp::milliseconds(Header("x-contentful-timestamp")).within(30)),
    ),
    delivery_id: &[Header("x-contentful-idempotency-key")],
    event_type: &[Header("x-contentful-topic")],
    ordering_key: &[Join("/", &[Json("/sys/space/sys/id"), Json("/sys/environment/sys/id"), Json("/sys/id")])],
    version: &[Json("/sys/version"), Json("/sys/revision")],
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Refused after 30 seconds: keep the clock right. The path is signed: a proxy must not change it. Two more attempts, 30 seconds apart, unless the webhook says otherwise.",
    samples: &[Sample {
        event: "ContentManagement.Entry.publish",
        headers: &[
            ("content-type", "application/json"),
            ("x-contentful-topic", "ContentManagement.Entry.publish"),
            ("x-contentful-idempotency-key", "{{id}}"),
            ("x-contentful-signed-headers", "x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic"),
        ],
        body: r#"{"sys":{"version":7,"space":{"sys":{"id":"main"}},"environment":{"sys":{"id":"main"}},"id":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
