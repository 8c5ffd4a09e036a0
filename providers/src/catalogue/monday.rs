//! monday.com. A token (HS256) keyed with the app's signing secret; it says nothing about the body.
//! <https://developer.monday.com/api-reference/reference/webhooks>
//!
//! - Only webhooks made by an app carry the token.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::Json;
use crate::scheme::jwt::TokenPlace;
use crate::scheme::{Jwt, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "monday",
    title: "monday.com",
    docs: "https://developer.monday.com/api-reference/reference/webhooks",
    scheme: Scheme::Jwt(Jwt::hs256(TokenPlace::HeaderOptional("authorization", "Bearer "))),
    delivery_id: &[Json("/event/triggerUuid")],
    event_type: &[Json("/event/type")],
    ordering_key: &[Json("/event/pulseId")],
    version: &[Json("/event/triggerTime")],
    handshake: &[Handshake {
        when: &[When::Present(Json("/challenge")), When::Absent(Json("/event/type"))],
        proof: Proof::Nothing,
        answer: Answer::Json("challenge", Json("/challenge")),
    }],
    ack_deadline: Duration::from_secs(3 * 60),
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "The body is not signed. Retries every minute for half an hour.",
    samples: &[
        Sample {
            event: "create_pulse",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/monday_create_pulse.json"),
            object: "4411180271",
        },
        Sample {
            event: "update_column_value",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/monday_update_column_value.json"),
            object: "4411180271",
        },
    ],
    ..Provider::DEFAULT
};
