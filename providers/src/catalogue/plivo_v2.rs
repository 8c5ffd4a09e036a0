//! Plivo (messaging). HMAC-SHA256 of the URL without its query and a nonce; the body is not signed.
//! <https://www.plivo.com/docs/messaging/concepts/signature-validation/>

use crate::locate::Locate::{Form, Header, Join};
use crate::scheme::{Listing, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "plivo-v2",
    title: "Plivo (messaging)",
    docs: "https://www.plivo.com/docs/messaging/concepts/signature-validation/",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-plivo-signature-v2"))
            .listing(Listing::Separated(","))
            .signs(&[Part::UrlWithoutQuery, Part::Header("x-plivo-signature-v2-nonce")]),
    ),
    methods: &["POST", "GET"],
    delivery_id: &[Join("/", &[Form("Status"), Form("MessageUUID")])],
    event_type: &[Form("Status")],
    ordering_key: &[Form("MessageUUID")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "The body is not signed: whoever sees one request can send any to the same URL.",
    samples: &[Sample {
        event: "delivered",
        headers: &[("content-type", "application/x-www-form-urlencoded"), ("x-plivo-signature-v2-nonce", "12345")],
        body: "Status=delivered&MessageUUID={{object}}-{{id}}",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
