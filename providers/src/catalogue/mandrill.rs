//! Mailchimp Transactional. HMAC-SHA1 of the URL as registered and the decoded form fields, in base64.
//! <https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/>
//!
//! - The key is shown only after the URL has answered a HEAD request, so that is answered without one.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Hash, Part, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "mandrill",
    title: "Mailchimp Transactional",
    docs: "https://mailchimp.com/developer/transactional/guides/track-respond-activity-webhooks/",
    scheme: Scheme::Signed(
        Signed::base64(Header("x-mandrill-signature")).hash(Hash::Sha1).signs(&[Part::Url, Part::FormPairs("")]),
    ),
    form_payload: Some("mandrill_events"),
    delivery_id: &[Join("/", &[Json("/_id"), Json("/event"), Json("/ts")])],
    event_type: &[Json("/event"), Json("/type")],
    ordering_key: &[Json("/_id")],
    version: &[Json("/ts")],
    events: Events::Each(""),
    handshake: &[Handshake { when: &[When::Method("HEAD")], proof: Proof::Nothing, answer: Answer::Empty }],
    reply: Acknowledgement { status: 200, body: None },
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The URL is signed: it must be registered exactly as the public URL of the source. Many events a request.",
    samples: &[Sample {
        event: "send",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "mandrill_events=%5B{%22event%22%3A%22send%22%2C%22_id%22%3A%22{{id}}-{{object}}%22%2C%22ts%22%3A1764500000}%5D",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
