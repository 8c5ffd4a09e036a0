//! Supabase. Auth hooks are Standard Webhooks; database webhooks carry only headers the operator sets.
//! <https://supabase.com/docs/guides/auth/auth-hooks>
//!
//! - The secret is `v1,whsec_…`; several may be joined by `|`.
//! - For a database webhook, set the header `x-webhook-secret`. Nothing of it is signed.

use std::time::Duration;

use crate::locate::Locate::{Family, Header, Join, Json};
use crate::scheme::standard_webhooks::SharedSecret;
use crate::scheme::{Scheme, StandardWebhooks, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "supabase",
    title: "Supabase",
    docs: "https://supabase.com/docs/guides/auth/auth-hooks",
    scheme: Scheme::FirstCarried(&[
        Scheme::StandardWebhooks(StandardWebhooks::shared(SharedSecret::VersionedList)),
        Scheme::Token(Token::at(Header("x-webhook-secret"))),
    ]),
    families: &["webhook-"],
    delivery_id: &[Family("id")],
    event_type: &[Json("/type")],
    ordering_key: &[
        Join("/", &[Json("/table"), Json("/record/id")]),
        Join("/", &[Json("/table"), Json("/old_record/id")]),
        Json("/user/id"),
    ],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(60),
    resends_automatically: false,
    max_body: Some(20 * 1024),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "An auth hook's answer decides what happens to the user: it cannot be handled later. Retried only after 429 or 503 with `retry-after`, 2 seconds apart. A database webhook is sent once and not signed.",
    samples: &[Sample {
        event: "UPDATE",
        headers: &[("content-type", "application/json")],
        body: r#"{"table":"main","record":{"id":"{{object}}"},"type":"UPDATE"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
