//! Azure Event Grid. No signature: put `?code=…` in the endpoint URL.
//! <https://learn.microsoft.com/en-us/azure/event-grid/webhook-event-delivery>
//!
//! - The validation is answered only when the URL holds the secret.
//! - With the CloudEvents schema an OPTIONS request asks instead; only Event Grid's own origin is allowed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "azure-event-grid",
    title: "Azure Event Grid",
    docs: "https://learn.microsoft.com/en-us/azure/event-grid/webhook-event-delivery",
    scheme: Scheme::Token(Token::at(Query("code"))),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/eventType"), Json("/type")],
    ordering_key: &[
        Join("/", &[Json("/topic"), Json("/subject")]),
        Join("/", &[Json("/source"), Json("/subject")]),
        Json("/subject"),
    ],
    version: &[Json("/eventTime"), Json("/time")],
    events: Events::Each(""),
    handshake: &[
        Handshake {
            when: &[
                When::Is(Json("/0/eventType"), "Microsoft.EventGrid.SubscriptionValidationEvent"),
                When::Absent(Json("/1/eventType")),
            ],
            proof: Proof::Signature,
            answer: Answer::Json("validationResponse", Json("/0/data/validationCode")),
        },
        Handshake {
            when: &[When::Method("OPTIONS"), When::Is(Header("webhook-request-origin"), "eventgrid.azure.net")],
            proof: Proof::Signature,
            answer: Answer::Headers(&[
                ("webhook-allowed-origin", "eventgrid.azure.net"),
                ("webhook-allowed-rate", "*"),
            ]),
        },
    ],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(30),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. Success is 200 to 204; 400 and 413 are not sent again.",
    samples: &[Sample {
        event: "Microsoft.Storage.BlobCreated",
        headers: &[("content-type", "application/json")],
        body: r#"[{"eventTime":"{{now_rfc3339}}","topic":"main","subject":"{{object}}","eventType":"Microsoft.Storage.BlobCreated","id":"{{id}}"}]"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
