//! Stripe. One header carries a timestamp and a `v1` signature for each active secret, so secrets can roll.
//! <https://docs.stripe.com/webhooks#verify-manually>
//!
//! - The key is the whole secret as text, `whsec_` included.
//! - `v0` entries are there to test receivers and never count.
//! - Official libraries disagree on a repeated `t` and accept any future time: a repeated `t` and a time more than
//!   five minutes off in either direction are refused here.
//! - A Connect event is about an object of a connected account: the account is part of the ordering key.
//! - Thin (v2) events name their object in `related_object` and write `created` as a date. The version is seconds for
//!   the former kind and microseconds for the latter; the two kinds do not share objects.

use std::time::Duration;

use crate::locate::Locate::{Join, Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

const HEADER: &str = "stripe-signature";

pub(super) const PROVIDER: Provider = Provider {
    name: "stripe",
    title: "Stripe",
    docs: "https://docs.stripe.com/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Pair(HEADER, "v1"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair(HEADER, "t")))
            .refuse_empty_body(),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[
        Join("/", &[Json("/account"), Json("/data/object/id")]),
        Json("/data/object/id"),
        Join("/", &[Json("/context"), Json("/related_object/id")]),
        Json("/related_object/id"),
    ],
    version: &[Json("/created")],
    ack_deadline: Duration::from_secs(10),
    // Automatic retries end after three days; anybody may resend an event for 30.
    retry_horizon: Duration::from_secs(30 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "No promise of order: compare `created`, or fetch the object. Two events may describe one change. A resend has the same event id.",
    samples: &[
        Sample {
            event: "invoice.paid",
            headers: HEADERS,
            body: include_str!("../samples/stripe_invoice_paid.json"),
            object: "in_1QhGate7Yk2Nn5",
        },
        Sample {
            event: "customer.subscription.updated",
            headers: HEADERS,
            body: include_str!("../samples/stripe_subscription_updated.json"),
            object: "sub_1QhGate7Yk2Nn5",
        },
        Sample {
            event: "v1.billing.meter.error_report_triggered",
            headers: HEADERS,
            body: include_str!("../samples/stripe_thin_meter_error.json"),
            object: "mtr_test_61QhGate7Yk2Nn5",
        },
        Sample {
            event: "payment_intent.succeeded",
            headers: HEADERS,
            body: include_str!("../samples/stripe_payment_intent_succeeded.json"),
            object: "pi_3QhGate7Yk2Nn5",
        },
        Sample {
            event: "charge.refunded",
            headers: HEADERS,
            body: include_str!("../samples/stripe_charge_refunded.json"),
            object: "ch_3QhGate7Yk2Nn5",
        },
        Sample {
            event: "checkout.session.completed",
            headers: HEADERS,
            body: include_str!("../samples/stripe_checkout_session_completed.json"),
            object: "cs_test_7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};

const HEADERS: &[(&str, &str)] = &[
    ("content-type", "application/json; charset=utf-8"),
    ("user-agent", "Stripe/1.0 (+https://stripe.com/docs/webhooks)"),
];
