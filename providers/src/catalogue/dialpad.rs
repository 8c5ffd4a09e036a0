//! Dialpad. The body is a token (HS256); its claims are the event.
//! <https://developers.dialpad.com/docs/event-subscriptions>
//!
//! - Without a secret the body is plain JSON, which is refused here.

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::jwt::TokenPlace;
use crate::scheme::{Jwt, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "dialpad",
    title: "Dialpad",
    docs: "https://developers.dialpad.com/docs/event-subscriptions",
    scheme: Scheme::Jwt(Jwt::hs256(TokenPlace::Body)),
    delivery_id: &[Join("/", &[Json("/call_id"), Json("/state"), Json("/event_timestamp")])],
    event_type: &[Json("/state")],
    ordering_key: &[Json("/call_id")],
    version: &[Json("/event_timestamp")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(2 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "A 4xx is never sent again, 429 included. Retries may come out of order.",
    samples: &[Sample {
        event: "hangup",
        headers: &[("content-type", "application/jwt")],
        body: "header.claims.signature",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
