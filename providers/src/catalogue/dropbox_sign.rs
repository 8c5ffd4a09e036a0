//! Dropbox Sign (HelloSign). HMAC-SHA256 of time and type of the event, inside a JSON document that is the field `json` of
//! a multipart form. The key is the API key of the account, or of the app's owner.
//! <https://developers.hellosign.com/docs/events/walkthrough/>
//!
//! - **The rest of the event is not signed**: whoever sees one can send another document's under its hash. Read the
//!   signature request again by its id.
//! - Anything but the demanded answer counts as a failure. The test request is answered the same way, signed or not.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Join, Json};
use crate::scheme::Scheme;
use crate::{Acknowledgement, Coverage, Provider, Sample};

const TAKEN: &str = "Hello API Event Received";

pub(super) const PROVIDER: Provider = Provider {
    name: "dropbox-sign",
    title: "Dropbox Sign",
    docs: "https://developers.hellosign.com/docs/events/walkthrough/",
    scheme: Scheme::DropboxSign,
    delivery_id: &[
        Join(
            "/",
            &[
                Json("/signature_request/signature_request_id"),
                Json("/event/event_metadata/related_signature_id"),
                Json("/event/event_hash"),
            ],
        ),
        Join("/", &[Json("/signature_request/signature_request_id"), Json("/event/event_hash")]),
        Join("/", &[Json("/template/template_id"), Json("/event/event_hash")]),
    ],
    event_type: &[Json("/event/event_type")],
    ordering_key: &[Json("/signature_request/signature_request_id"), Json("/template/template_id")],
    version: &[Json("/event/event_time")],
    handshake: &[Handshake {
        when: &[When::Method("POST"), When::Is(Json("/event/event_type"), "callback_test")],
        proof: Proof::Nothing,
        answer: Answer::Fixed("text/plain", TAKEN),
    }],
    reply: Acknowledgement { status: 200, body: Some(("text/plain", TAKEN)) },
    ack_deadline: Duration::from_secs(30),
    covers: Coverage { body: false, id: false, event_type: true, time: false },
    quirks: "The event is not signed but for its time and type. The form may carry the signed document as a file.",
    samples: &[Sample {
        event: "signature_request_signed",
        headers: &[("content-type", "multipart/form-data; boundary=hookgate")],
        body: "--hookgate\r\nContent-Disposition: form-data; name=\"json\"\r\n\r\n{\"event\":{\"event_time\":\"{{now}}\",\"event_type\":\"signature_request_signed\",\"event_hash\":\"\",\"event_metadata\":{\"related_signature_id\":\"{{id}}\"}},\"signature_request\":{\"signature_request_id\":\"{{object}}\"}}\r\n--hookgate--\r\n",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
