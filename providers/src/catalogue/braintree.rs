//! Braintree. HMAC-SHA1 of the form field `bt_payload`, keyed with the SHA-1 of the private key. The secret is `PUBLIC_KEY:PRIVATE_KEY`.
//! <https://developer.paypal.com/braintree/docs/guides/webhooks/parse>
//!
//! - A form may hold signatures of several keys; only the one under our public key counts.
//! - The payload is XML in base64 and is not looked into: neither id nor type is found, and copies are not
//!   recognised.
//! - The URL is checked with a challenge whose answer is signed with the same key, so only short hex is answered.
//! - Only the field `bt_payload` is signed, which holds the whole notification; other fields of the form are not
//!   signed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Form, Query};
use crate::scheme::{Hash, KeyForm, Listing, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "braintree",
    title: "Braintree",
    docs: "https://developer.paypal.com/braintree/docs/guides/webhooks/parse",
    scheme: Scheme::Signed(
        Signed::hex(Form("bt_signature"))
            .hash(Hash::Sha1)
            .key(KeyForm::NamedSha1)
            .listing(Listing::Named("&", "|"))
            .signs(&[Part::At(Form("bt_payload"))])
            .or_signs(&[Part::At(Form("bt_payload")), Part::Lit("\n")]),
    ),
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("bt_challenge"))],
        proof: Proof::Nothing,
        answer: Answer::NamedMac(Query("bt_challenge")),
    }],
    ack_deadline: Duration::from_secs(30),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Only `bt_payload` is signed, other fields of the form are not signed. Sent again every hour for a day, in no promised order. Use the time inside the notification.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "bt_signature=x&bt_payload=PG5vdGlmaWNhdGlvbi8%252BCg%3D%3D",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
