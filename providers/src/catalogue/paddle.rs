//! Paddle Billing. HMAC-SHA256 of time and body; pairs are separated by semicolons.
//! <https://developer.paddle.com/webhooks/signature-verification>
//!
//! - While a secret is rotated there are several `h1`; any may match, though Paddle's Node library looks at the last
//!   only.
//! - Paddle suggests 5 seconds of tolerance, which an honest clock misses now and then; here it is five minutes.

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "paddle",
    title: "Paddle Billing",
    docs: "https://developer.paddle.com/webhooks/signature-verification",
    scheme: Scheme::Signed(
        Signed::hex(Pair("paddle-signature", "h1"))
            .listing(Listing::Pairs(";"))
            .signs(&[Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::seconds(Pair("paddle-signature", "ts"))),
    ),
    delivery_id: &[Json("/event_id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/occurred_at")],
    volatile: &["/notification_id"],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Wants an answer within 5 seconds; sends again up to 60 times in 3 days.",
    samples: &[
        Sample {
            event: "transaction.completed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/paddle_transaction_completed.json"),
            object: "txn_01h7yk2nn5",
        },
        Sample {
            event: "subscription.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/paddle_subscription_created.json"),
            object: "sub_01h7yk2nn5",
        },
        Sample {
            event: "subscription.updated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/paddle_subscription_updated.json"),
            object: "sub_01h7yk2nn5",
        },
    ],
    ..Provider::DEFAULT
};
