//! Auth0. No signature: the whole `Authorization` value is the secret (`Bearer …` where that is what was set).
//! <https://auth0.com/docs/customize/log-streams/custom-log-streams>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "auth0",
    title: "Auth0",
    docs: "https://auth0.com/docs/customize/log-streams/custom-log-streams",
    scheme: Scheme::Token(Token::at(Header("authorization"))),
    delivery_id: &[Json("/id"), Json("/log_id")],
    event_type: &[Json("/type"), Json("/data/type")],
    ordering_key: &[Json("/data/object/user_id"), Json("/data/user_id")],
    version: &[Json("/time"), Json("/data/date")],
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. Event streams give up after 4 attempts within seconds. A log stream of JSON lines is one event here: choose the JSON object format.",
    samples: &[
        Sample {
            event: "user.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/auth0_user_created.json"),
            object: "auth0|7yk2nn5",
        },
        Sample {
            event: "user.updated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/auth0_user_updated.json"),
            object: "auth0|7yk2nn5",
        },
        Sample {
            event: "s",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/auth0_log.json"),
            object: "auth0|7yk2nn5",
        },
    ],
    ..Provider::DEFAULT
};
