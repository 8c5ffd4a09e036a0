//! Attentive. HMAC-SHA256 of the body in hex.
//! <https://docs.attentive.com/docs/create-and-manage-webhooks>
//!
//! - Second-hand: implementations agree on hex, some copies show base64. Confirm with a test event.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "attentive",
    title: "Attentive",
    docs: "https://docs.attentive.com/docs/create-and-manage-webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-attentive-hmac-sha256"))),
    event_type: &[Json("/type")],
    ordering_key: &[Json("/subscriber/external_id"), Json("/subscriber/phone"), Json("/subscriber/email")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id. Second-hand: confirm the encoding with a test event before relying on it.",
    samples: &[Sample {
        event: "sms.subscribed",
        headers: &[("content-type", "application/json")],
        body: r#"{"type":"sms.subscribed","timestamp":{{now}}000,"company":{"display_name":"Kestrel Ltd","company_id":"4NZ"},"subscriber":{"external_id":"{{object}}","phone":"+15550100199"},"subscription":{"type":"MARKETING","channel":"TEXT"}}"#,
        object: "118027",
    }],
    ..Provider::DEFAULT
};
