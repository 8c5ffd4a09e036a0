//! Make (HTTP module as the sender). No signature: Basic, or the header `X-Webhook-Secret` set in the module.
//! <https://apps.make.com/http>
//!
//! - Make documents no scheme of its own: what the module sends is what is checked.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "make",
    title: "Make",
    docs: "https://apps.make.com/http",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("x-webhook-secret")))]),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/object_id")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. The body is yours to shape: map id, event and object_id in the module.",
    samples: &[Sample {
        event: "order.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"id":"{{id}}","event":"order.created","object_id":"{{object}}","total":"12.00"}"#,
        object: "order-118",
    }],
    ..Provider::DEFAULT
};
