//! Brevo. No signature: Basic in the URL, or the whole `Authorization` value as the secret (`Bearer …`).
//! <https://developers.brevo.com/docs/secure-webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "brevo",
    title: "Brevo",
    docs: "https://developers.brevo.com/docs/secure-webhooks",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("authorization")))]),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/message-id"), Json("/email")],
    version: &[Json("/ts_epoch")],
    retry_horizon: Duration::from_secs(12 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. Events have no id. Any 4xx but 429, and any 5xx, discards the event at once; else retries after 10 minutes, 1, 2 and 8 hours.",
    samples: &[
        Sample {
            event: "delivered",
            headers: &[("content-type", "application/json")],
            body: r#"{"event":"delivered","email":"ada@example.com","id":118,"message-id":"{{object}}","ts_epoch":{{now}}000,"subject":"Your receipt","tag":"receipts","sending_ip":"203.0.113.7"}"#,
            object: "<202611302140.7Yk2Nn5@relay.example.com>",
        },
        Sample {
            event: "hard_bounce",
            headers: &[("content-type", "application/json")],
            body: r#"{"event":"hard_bounce","email":"nobody@example.com","id":118,"message-id":"{{object}}","ts_epoch":{{now}}000,"reason":"550 no such user"}"#,
            object: "<202611302140.7Yk2Nn5@relay.example.com>",
        },
    ],
    ..Provider::DEFAULT
};
