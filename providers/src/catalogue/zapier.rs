//! Zapier (Webhooks by Zapier as the sender). No signature: Basic, or the header `X-Webhook-Secret` set in the step.
//! <https://zapier.com/apps/webhook/integrations>
//!
//! - Zapier documents no scheme of its own: what the step sends is what is checked.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "zapier",
    title: "Zapier",
    docs: "https://zapier.com/apps/webhook/integrations",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("x-webhook-secret")))]),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/object_id")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. The body is yours to shape: map id, event and object_id in the step.",
    samples: &[Sample {
        event: "lead.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"id":"{{id}}","event":"lead.created","object_id":"{{object}}","name":"Ada Kestrel"}"#,
        object: "lead-118",
    }],
    ..Provider::DEFAULT
};
