//! Vonage (signed SMS). An HMAC or a hash over all parameters, which is one of them.
//! <https://developer.vonage.com/en/getting-started/concepts/signing-messages>
//!
//! - Choose SHA-256 or SHA-512 as the account's method. MD5 is what accounts start with.

use std::time::Duration;

use crate::locate::Locate::{Form, Join, Json, Query};
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "vonage-sms",
    title: "Vonage (signed SMS)",
    docs: "https://developer.vonage.com/en/getting-started/concepts/signing-messages",
    scheme: Scheme::VonageSms,
    delivery_id: &[
        Join("/", &[Form("messageId"), Form("status")]),
        Form("messageId"),
        Join("/", &[Json("/messageId"), Json("/status")]),
        Json("/messageId"),
        Join("/", &[Query("messageId"), Query("status")]),
        Query("messageId"),
    ],
    event_type: &[Form("status"), Form("type"), Json("/status"), Json("/type"), Query("status"), Query("type")],
    ordering_key: &[Form("messageId"), Json("/messageId"), Query("messageId")],
    version: &[Form("timestamp"), Json("/timestamp"), Query("timestamp")],
    retry_horizon: Duration::from_secs(86400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "MD5 unless the account says otherwise. The parts of a long message come apart.",
    samples: &[Sample {
        event: "delivered",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "messageId={{object}}-{{id}}&msisdn=15553334444&status=delivered&timestamp={{now}}&nonce=1&sig=",
        object: "0A0000000123ABCD1",
    }],
    ..Provider::DEFAULT
};
