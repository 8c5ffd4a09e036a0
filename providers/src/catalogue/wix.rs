//! Wix. The body is a token (RS256) that holds the event as JSON in a string. The secret is the app's public key.
//! <https://dev.wix.com/docs/build-apps/develop-your-app/api-integrations/events-and-webhooks/handle-events-with-webhooks>
//!
//! - The event is text inside the token's claim `data`, which is not looked into: id and type are for handlers to
//!   read.

use std::time::Duration;

use crate::scheme::jwt::TokenPlace;
use crate::scheme::{Jwt, Scheme};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "wix",
    title: "Wix",
    docs: "https://dev.wix.com/docs/build-apps/develop-your-app/api-integrations/events-and-webhooks/handle-events-with-webhooks",
    scheme: Scheme::Jwt(Jwt::rs256(TokenPlace::Body)),
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(1),
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Wants 200 within 1.25 seconds; 12 retries over two days.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "text/plain")],
        body: "header.claims.signature",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
