//! DocuSign Connect. HMAC-SHA256 of the body in base64, one numbered header a live key.
//! <https://developers.docusign.com/platform/webhooks/connect/hmac/>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Listing, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "docusign",
    title: "DocuSign Connect",
    docs: "https://developers.docusign.com/platform/webhooks/connect/hmac/",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-docusign-signature-"))
            .listing(Listing::Numbered)
            .only_if(&[("x-authorization-digest", "HMACSHA256")]),
    ),
    delivery_id: &[Join("/", &[Json("/event"), Json("/data/envelopeId"), Json("/generatedDateTime")])],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/data/envelopeId")],
    version: &[Json("/generatedDateTime")],
    volatile: &["/retryCount"],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(15 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The number in the header says nothing about which key it is. Retries for 15 days.",
    samples: &[
        Sample {
            event: "envelope-sent",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/docusign_envelope_sent.json"),
            object: "93be49ab-7Yk2Nn5",
        },
        Sample {
            event: "envelope-completed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/docusign_envelope_completed.json"),
            object: "93be49ab-7Yk2Nn5",
        },
        Sample {
            event: "recipient-completed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/docusign_recipient_completed.json"),
            object: "93be49ab-7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
