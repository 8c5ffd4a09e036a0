//! Braze Currents (custom HTTP connector). No signature: the whole `Authorization` value as the secret (`Bearer …`).
//! <https://www.braze.com/docs/partners/data_and_infrastructure_agility/custom_http_connector>
//!
//! - Second-hand: the envelope was read from notes on Braze's page. Without a token nothing is accepted.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "braze",
    title: "Braze Currents",
    docs: "https://www.braze.com/docs/partners/data_and_infrastructure_agility/custom_http_connector",
    scheme: Scheme::Token(Token::at(Header("authorization"))),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/user/user_id"), Json("/user/external_user_id")],
    version: &[Json("/time")],
    events: Events::Each("/events"),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. Many events a request.",
    samples: &[Sample {
        event: "users.messages.email.Open",
        headers: &[("content-type", "application/json")],
        body: r#"{"events":[{"event_type":"users.messages.email.Open","id":"{{id}}","time":{{now}},"user":{"user_id":"{{object}}","external_user_id":"u-118"},"properties":{"campaign_id":"c-7","email_address":"ada@example.com"}}]}"#,
        object: "5f0c7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
