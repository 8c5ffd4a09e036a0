//! Twilio. HMAC over the URL and the form's fields, or over a URL with the hash of the body.
//! <https://www.twilio.com/docs/usage/security#validating-requests>
//!
//! - A shared key is a secret of the source written `webhooks_sharedkey_…:SECRET`; a request that names one is judged
//!   by it alone.
//! - A fragment in the URL given to Twilio sets timeouts and retries and is not part of the request.

use std::time::Duration;

use crate::locate::Locate::{Form, Header, Join};
use crate::scheme::Scheme;
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "twilio",
    title: "Twilio",
    docs: "https://www.twilio.com/docs/usage/security#validating-requests",
    scheme: Scheme::Twilio,
    methods: &["POST", "GET"],
    delivery_id: &[
        Header("i-twilio-idempotency-token"),
        Join("/", &[Form("CallStatus"), Form("CallSid")]),
        Join("/", &[Form("MessageStatus"), Form("MessageSid")]),
        Join("/", &[Form("SmsStatus"), Form("MessageSid")]),
    ],
    event_type: &[Form("MessageStatus"), Form("CallStatus"), Form("SmsStatus"), Form("EventType")],
    ordering_key: &[Form("MessageSid"), Form("CallSid"), Form("ConversationSid")],
    version: &[Form("SequenceNumber")],
    reply: Acknowledgement { status: 200, body: Some(("text/xml", "<Response/>")) },
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(3600),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Nothing says when a request was made. The auth token signs for the whole account; a secondary one does not sign until it is promoted.",
    samples: &[Sample {
        event: "delivered",
        headers: &[("content-type", "application/x-www-form-urlencoded")],
        body: "AccountSid=AC07yk2nn5&To=%252B15550100&SequenceNumber=7&MessageSid={{object}}&MessageStatus=delivered",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
