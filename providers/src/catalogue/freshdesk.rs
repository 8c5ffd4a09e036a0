//! Freshdesk and Freshservice (automation rules). No signature: Basic, or the custom header `X-Webhook-Token`.
//! <https://support.freshdesk.com/support/solutions/articles/132589-using-webhooks-in-automation-rules>
//!
//! - The body is what the rule says; the simple content is `freshdesk_webhook` with the placeholders chosen.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "freshdesk",
    title: "Freshdesk and Freshservice",
    docs: "https://support.freshdesk.com/support/solutions/articles/132589-using-webhooks-in-automation-rules",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("x-webhook-token")))]),
    event_type: &[Json("/freshdesk_webhook/triggered_event")],
    ordering_key: &[Json("/freshdesk_webhook/ticket_id")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. The body is yours to shape: keep `triggered_event` and `ticket_id` in it.",
    samples: &[Sample {
        event: "{ticket_action:created}",
        headers: &[("content-type", "application/json")],
        body: r#"{"freshdesk_webhook":{"ticket_id":{{object}},"ticket_subject":"Login is broken","ticket_status":"Open","triggered_event":"{ticket_action:created}"}}"#,
        object: "4118",
    }],
    ..Provider::DEFAULT
};
