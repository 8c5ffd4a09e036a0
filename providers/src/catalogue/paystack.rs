//! Paystack. HMAC-SHA512 of the body in hex, keyed with the secret API key.
//! <https://paystack.com/docs/payments/webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "paystack",
    title: "Paystack",
    docs: "https://paystack.com/docs/payments/webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-paystack-signature")).hash(Hash::Sha512)),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/reference"), Json("/data/subscription_code"), Json("/data/id")],
    version: &[Json("/data/paid_at")],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id: the reference and the type tell them apart. Only 200 counts as success.",
    samples: &[Sample {
        event: "charge.success",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"paid_at":"{{now_rfc3339}}","reference":"{{object}}"},"event":"charge.success"}"#,
        object: "ref_7yk2nn5",
    }],
    ..Provider::DEFAULT
};
