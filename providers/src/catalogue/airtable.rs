//! Airtable. HMAC-SHA256 of the body in hex; the key is base64.
//! <https://airtable.com/developers/web/api/webhooks-overview>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "airtable",
    title: "Airtable",
    docs: "https://airtable.com/developers/web/api/webhooks-overview",
    scheme: Scheme::Signed(Signed::hex(Header("x-airtable-content-mac")).prefix("hmac-sha256=").key(KeyForm::Base64)),
    ordering_key: &[Json("/webhook/id")],
    version: &[Json("/timestamp")],
    reply: Acknowledgement { status: 204, body: Some(("text/plain", "")) },
    ack_deadline: Duration::from_secs(25),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "The body is thin: fetch the payloads. A webhook ends after 7 days unless it is renewed.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","webhook":{"id":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
