//! SparkPost. No signature: Basic, the older `X-MessageSystems-Webhook-Token`, or the whole `Authorization` value (`Bearer …`).
//! <https://developers.sparkpost.com/api/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sparkpost",
    title: "SparkPost",
    docs: "https://developers.sparkpost.com/api/webhooks/",
    scheme: Scheme::FirstCarried(&[
        Scheme::Basic,
        Scheme::Token(Token::at(Header("x-messagesystems-webhook-token"))),
        Scheme::Token(Token::at(Header("authorization"))),
    ]),
    delivery_id: &[
        Json("/msys/message_event/event_id"),
        Json("/msys/track_event/event_id"),
        Json("/msys/unsubscribe_event/event_id"),
        Json("/msys/gen_event/event_id"),
    ],
    event_type: &[
        Json("/msys/message_event/type"),
        Json("/msys/track_event/type"),
        Json("/msys/unsubscribe_event/type"),
        Json("/msys/gen_event/type"),
    ],
    ordering_key: &[
        Json("/msys/message_event/message_id"),
        Json("/msys/track_event/message_id"),
        Json("/msys/unsubscribe_event/message_id"),
    ],
    version: &[
        Json("/msys/message_event/timestamp"),
        Json("/msys/track_event/timestamp"),
        Json("/msys/unsubscribe_event/timestamp"),
    ],
    events: Events::Each(""),
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(8 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. Many events a request, sent again whole under one `X-MessageSystems-Batch-ID`. Only 200 within 10 seconds counts as success. Relay webhooks carry no event id.",
    samples: &[
        Sample {
            event: "delivery",
            headers: &[("content-type", "application/json")],
            body: r#"[{"msys":{"message_event":{"type":"delivery","event_id":"{{id}}","message_id":"{{object}}","timestamp":"{{now}}","rcpt_to":"ada@example.com","subject":"Your receipt","transmission_id":"65832150921904138"}}}]"#,
            object: "0001441e1a5a7Yk2Nn5",
        },
        Sample {
            event: "click",
            headers: &[("content-type", "application/json")],
            body: r#"[{"msys":{"track_event":{"type":"click","event_id":"{{id}}","message_id":"{{object}}","timestamp":"{{now}}","target_link_url":"https://example.com/receipt"}}}]"#,
            object: "0001441e1a5a7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
