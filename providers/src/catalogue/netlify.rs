//! Netlify. A token (HS256) whose claim `sha256` is the hash of the body.
//! <https://docs.netlify.com/site-deploys/notifications/>
//!
//! - The token carries no time, so old requests cannot be told from new ones.

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::jwt::{Issuer, TokenPlace};
use crate::scheme::{Encoding, Jwt, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "netlify",
    title: "Netlify",
    docs: "https://docs.netlify.com/site-deploys/notifications/",
    scheme: Scheme::Jwt(Jwt {
        issuer: Issuer::Is("netlify"),
        body_hash: Some(("sha256", Encoding::Hex)),
        ..Jwt::hs256(TokenPlace::Header("x-webhook-signature", ""))
    }),
    event_type: &[Header("x-netlify-event"), Json("/state")],
    ordering_key: &[Join("/", &[Json("/site_id"), Json("/id")])],
    version: &[Json("/updated_at")],
    resends_automatically: false,
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "The event's name is a header that is not signed.",
    samples: &[Sample {
        event: "deploy_created",
        headers: &[("content-type", "application/json"), ("x-netlify-event", "deploy_created")],
        body: r#"{"updated_at":"{{now_rfc3339}}","site_id":"main","id":"{{object}}"}"#,
        object: "5f1a7yk2nn5",
    }],
    ..Provider::DEFAULT
};
