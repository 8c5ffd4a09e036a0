//! Paddle Classic. RSA (SHA-1) over the sorted form fields as PHP serialises them. The secret is the account's public key.
//! <https://developer.paddle.com/classic/guides/verify-webhooks>
//!
//! - Second-hand: read from an independent implementation. Lengths count bytes.

use crate::locate::Locate::Form;
use crate::scheme::{Hash, Part, PublicKey, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "paddle-classic",
    title: "Paddle Classic",
    docs: "https://developer.paddle.com/classic/guides/verify-webhooks",
    scheme: Scheme::Signed(
        Signed::base64(Form("p_signature"))
            .public_key(PublicKey::Rsa(Hash::Sha1))
            .signs(&[Part::FormAsPhp("p_signature")]),
    ),
    delivery_id: &[Form("alert_id")],
    event_type: &[Form("alert_name")],
    ordering_key: &[Form("subscription_id"), Form("order_id")],
    version: &[Form("event_time")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The older product; for Paddle Billing use `paddle`.",
    samples: &[Sample {
        event: "subscription_created",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "p_signature=x&event_time=2025-11-30T10%3A00%3A00Z&subscription_id={{object}}&alert_name=subscription_created&alert_id={{id}}",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
