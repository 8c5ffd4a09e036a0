//! MailerSend. HMAC-SHA256 of the body in hex.
//! <https://developers.mailersend.com/api/v1/webhooks.html>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "mailersend",
    title: "MailerSend",
    docs: "https://developers.mailersend.com/api/v1/webhooks.html",
    scheme: Scheme::Signed(Signed::hex(Header("signature"))),
    delivery_id: &[Json("/data/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/email/message/id")],
    version: &[Json("/created_at")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The header is simply called `Signature`.",
    samples: &[Sample {
        event: "activity.sent",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":"{{now_rfc3339}}","data":{"email":{"message":{"id":"{{object}}"}},"id":"{{id}}"},"type":"activity.sent"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
