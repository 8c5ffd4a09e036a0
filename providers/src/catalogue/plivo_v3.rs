//! Plivo (voice). HMAC-SHA256 of the URL with its query sorted, the sorted fields of the form, and a nonce. The key is the
//! auth token.
//! <https://www.plivo.com/docs/voice/concepts/signature-validation>

use crate::locate::Locate::{Form, Header, Join, Query};
use crate::scheme::{Listing, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "plivo-v3",
    title: "Plivo (voice)",
    docs: "https://www.plivo.com/docs/voice/concepts/signature-validation",
    scheme: Scheme::Signed(Signed::base64(Header("x-plivo-signature-v3")).listing(Listing::Separated(",")).signs(&[
        Part::UrlAndFormSorted,
        Part::Lit("."),
        Part::Header("x-plivo-signature-v3-nonce"),
    ])),
    methods: &["POST", "GET"],
    delivery_id: &[
        Join("/", &[Form("CallUUID"), Form("Event"), Form("CallStatus")]),
        Join("/", &[Form("CallUUID"), Form("Event")]),
        Join("/", &[Query("CallUUID"), Query("Event")]),
    ],
    event_type: &[Form("Event"), Query("Event")],
    ordering_key: &[Form("CallUUID"), Query("CallUUID")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Names and values of the form are joined without separators. Calls want XML as the answer, which a queue cannot give; use it for their events.",
    samples: &[Sample {
        event: "Hangup",
        headers: &[
            ("content-type", "application/x-www-form-urlencoded"),
            ("x-plivo-signature-v3-nonce", "05429567804466091622"),
        ],
        body: "CallUUID={{object}}-{{id}}&Event=Hangup&From=15553334444&To=15551112222",
        object: "call",
    }],
    ..Provider::DEFAULT
};
