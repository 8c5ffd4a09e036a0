//! Razorpay. HMAC-SHA256 of the body in hex.
//! <https://razorpay.com/docs/webhooks/validate-test/>
//!
//! - After a change of the secret, retries of older events are still signed with the old one: keep both for a day.
//! - The time limit of 5 seconds is unverified.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "razorpay",
    title: "Razorpay",
    docs: "https://razorpay.com/docs/webhooks/validate-test/",
    scheme: Scheme::Signed(Signed::hex(Header("x-razorpay-signature"))),
    delivery_id: &[Header("x-razorpay-event-id")],
    event_type: &[Json("/event")],
    ordering_key: &[
        Json("/payload/payment/entity/id"),
        Json("/payload/order/entity/id"),
        Json("/payload/subscription/entity/id"),
        Json("/payload/refund/entity/id"),
    ],
    version: &[Json("/created_at")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(15 * 86_400),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Retries for 24 hours and then disables the webhook; a replay can be asked for up to 15 days later, signed with the secret of its time. The signature of a checkout callback is another one.",
    samples: &[
        Sample {
            event: "payment.captured",
            headers: &[("content-type", "application/json"), ("x-razorpay-event-id", "{{id}}")],
            body: include_str!("../samples/razorpay_payment_captured.json"),
            object: "pay_7Yk2Nn5",
        },
        Sample {
            event: "refund.processed",
            headers: &[("content-type", "application/json"), ("x-razorpay-event-id", "{{id}}")],
            body: include_str!("../samples/razorpay_refund_processed.json"),
            object: "rfnd_7Yk2Nn5",
        },
        Sample {
            event: "subscription.activated",
            headers: &[("content-type", "application/json"), ("x-razorpay-event-id", "{{id}}")],
            body: include_str!("../samples/razorpay_subscription_activated.json"),
            object: "sub_7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
