//! Adyen. Platform webhooks: HMAC-SHA256 of the body. Standard webhooks: an HMAC inside each item, over eight of its fields. The key is hex.
//! <https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures>
//!
//! - In a standard webhook only reference, original reference, account, merchant reference, amount, event code and
//!   success are protected: fetch anything else that matters.
//! - The rest of a standard webhook is not signed: whoever sees one request can change it and keep the signatures.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json, Root};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "adyen",
    title: "Adyen",
    docs: "https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures",
    scheme: Scheme::FirstCarried(&[
        Scheme::Signed(
            Signed::base64(Header("hmacsignature")).key(KeyForm::Hex).only_if(&[("protocol", "HmacSHA256")]),
        ),
        Scheme::AdyenItems,
    ]),
    delivery_id: &[
        Join(
            "/",
            &[
                Json("/NotificationRequestItem/pspReference"),
                Json("/NotificationRequestItem/eventCode"),
                Json("/NotificationRequestItem/success"),
            ],
        ),
        Root("/data/id"),
    ],
    event_type: &[Json("/NotificationRequestItem/eventCode"), Root("/type")],
    ordering_key: &[
        Json("/NotificationRequestItem/originalReference"),
        Json("/NotificationRequestItem/pspReference"),
        Root("/data/id"),
    ],
    version: &[Json("/NotificationRequestItem/eventDate")],
    events: Events::Each("/notificationItems"),
    volatile: &["/NotificationRequestItem/additionalData"],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(30 * 86_400),
    covers: Coverage { body: false, id: true, event_type: true, time: false },
    quirks: "Most of a standard webhook is not signed. While one delivery fails, those behind it wait; retries go on for 30 days.",
    samples: &[
        Sample {
            event: "AUTHORISATION",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/adyen_authorisation.json"),
            object: "7914073381342284",
        },
        Sample {
            event: "CAPTURE",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/adyen_capture.json"),
            object: "7914073381342284",
        },
        Sample {
            event: "REFUND",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/adyen_refund.json"),
            object: "7914073381342284",
        },
        Sample {
            event: "CHARGEBACK",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/adyen_chargeback.json"),
            object: "7914073381342284",
        },
    ],
    ..Provider::DEFAULT
};
