//! TikTok Shop. HMAC-SHA256 of app key and body, bare in `Authorization`. The secret is `APP_KEY:APP_SECRET`.
//! <https://partner.tiktokshop.com/docv2/page/tts-webhooks-overview>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Part, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "tiktok-shop",
    title: "TikTok Shop",
    docs: "https://partner.tiktokshop.com/docv2/page/tts-webhooks-overview",
    scheme: Scheme::Signed(
        Signed::hex(Header("authorization")).key(KeyForm::Named).signs(&[Part::KeyName, Part::Body]),
    ),
    delivery_id: &[Json("/tts_notification_id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/data/order_id"), Json("/shop_id")],
    version: &[Json("/timestamp")],
    reply: Acknowledgement { status: 200, body: Some(("text/plain", "")) },
    ack_deadline: Duration::from_secs(3),
    retry_horizon: Duration::from_secs(16 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Wants 200 without a body within 3 seconds. Types are numbers.",
    samples: &[Sample {
        event: "1",
        headers: &[("content-type", "application/json")],
        body: r#"{"type":1,"tts_notification_id":"{{id}}","shop_id":"7494","timestamp":{{now}},"data":{"order_id":"{{object}}","order_status":"AWAITING_SHIPMENT"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
