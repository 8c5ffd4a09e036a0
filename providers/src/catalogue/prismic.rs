//! Prismic. No signature: the secret is in the body.
//! <https://prismic.io/docs/webhooks>

use std::time::Duration;

use crate::locate::Locate::Json;
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "prismic",
    title: "Prismic",
    docs: "https://prismic.io/docs/webhooks",
    scheme: Scheme::Token(Token::at(Json("/secret"))),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/domain")],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(2 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. Only 200 counts as success; 5 more tries 10 minutes apart, then the webhook is disabled. Events have no id.",
    samples: &[Sample {
        event: "api-update",
        headers: &[("content-type", "application/json")],
        body: r#"{"domain":"{{object}}","type":"api-update","secret":"{{secret}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
