//! LINE. HMAC-SHA256 of the body in base64.
//! <https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "line",
    title: "LINE",
    docs: "https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/",
    scheme: Scheme::Signed(Signed::base64(Header("x-line-signature"))),
    delivery_id: &[Json("/webhookEventId")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/source/groupId"), Json("/source/roomId"), Json("/source/userId")],
    version: &[Json("/timestamp")],
    events: Events::Each("/events"),
    volatile: &["/deliveryContext/isRedelivery"],
    reply: Acknowledgement { status: 200, body: None },
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The console's Verify button sends no events. Redelivery has to be switched on in the console and can change the order.",
    samples: &[Sample {
        event: "message",
        headers: &[("content-type", "application/json")],
        body: r#"{"events":[{"timestamp":{{now}}000,"source":{"groupId":"{{object}}"},"type":"message","webhookEventId":"{{id}}"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
