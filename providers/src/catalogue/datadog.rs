//! Datadog. No signature: add the custom header `X-Webhook-Token`, or Basic credentials to the URL.
//! <https://docs.datadoghq.com/integrations/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "datadog",
    title: "Datadog",
    docs: "https://docs.datadoghq.com/integrations/webhooks/",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("x-webhook-token")))]),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/alert_transition")],
    ordering_key: &[Json("/alert_id")],
    version: &[Json("/last_updated")],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. The body is a template of yours: put `$ID`, `$ALERT_ID`, `$ALERT_TRANSITION` and `$LAST_UPDATED` under id, alert_id, alert_transition and last_updated. Sent again only after a 5xx or without a connection, five times.",
    samples: &[Sample {
        event: "Triggered",
        headers: &[("content-type", "application/json")],
        body: r#"{"last_updated":{{now}}000,"alert_id":"{{object}}","alert_transition":"Triggered","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
