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
    samples: &[
        Sample {
            event: "message",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/line_message.json"),
            object: "U4af4980629118",
        },
        Sample {
            event: "follow",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/line_follow.json"),
            object: "U4af4980629118",
        },
        Sample {
            event: "postback",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/line_postback.json"),
            object: "U4af4980629118",
        },
    ],
    ..Provider::DEFAULT
};
