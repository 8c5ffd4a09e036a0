//! PayPal. RSA with SHA-256 over transmission id, time, webhook id and the CRC-32 of the body. The key is the certificate
//! that a header names, fetched from PayPal's own hosts.
//! <https://developer.paypal.com/api/rest/webhooks/rest/>
//!
//! - **The body is not signed**, only its CRC is, and whoever has one delivery can write any other body with the same one. Read the event again from PayPal by its id before money moves.
//! - The secret is the webhook's id.

use std::time::Duration;

use crate::locate::Locate::Json;
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "paypal",
    title: "PayPal",
    docs: "https://developer.paypal.com/api/rest/webhooks/rest/",
    scheme: Scheme::PayPal,
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/resource/id")],
    version: &[Json("/resource/update_time"), Json("/create_time")],
    retry_horizon: Duration::from_secs(259200),
    covers: Coverage { body: false, id: false, event_type: false, time: true },
    quirks: "The body is not signed, only a checksum of it: fetch the event by its id before acting on it. Up to 25 tries in 3 days. Events of the webhook simulator cannot be verified.",
    samples: &[Sample {
        event: "PAYMENT.CAPTURE.COMPLETED",
        headers: &[
            ("content-type", "application/json"),
            ("paypal-cert-url", "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-hookgate"),
        ],
        body: r#"{"id":"{{id}}","event_version":"1.0","create_time":"{{now_rfc3339}}","resource_type":"capture","event_type":"PAYMENT.CAPTURE.COMPLETED","resource":{"id":"{{object}}","status":"COMPLETED","amount":{"currency_code":"EUR","value":"19.99"},"update_time":"{{now_rfc3339}}"}}"#,
        object: "7LJ12345AB678901C",
    }],
    ..Provider::DEFAULT
};
