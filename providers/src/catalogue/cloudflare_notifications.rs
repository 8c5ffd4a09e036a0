//! Cloudflare Notifications. No signature: the secret in a header.
//! <https://developers.cloudflare.com/notifications/get-started/configure-webhooks/>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "cloudflare-notifications",
    title: "Cloudflare Notifications",
    docs: "https://developers.cloudflare.com/notifications/get-started/configure-webhooks/",
    scheme: Scheme::Token(Token::at(Header("cf-webhook-auth"))),
    event_type: &[Json("/alert_type")],
    version: &[Json("/ts")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any.",
    samples: &[Sample {
        event: "universal_ssl_event_type",
        headers: &[("content-type", "application/json")],
        body: r#"{"ts":{{now}},"alert_type":"universal_ssl_event_type"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
