//! Twilio. HMAC over the URL and the form's fields, or over a URL with the hash of the body.
//! <https://www.twilio.com/docs/usage/security#validating-requests>
//!
//! - A shared key is a secret of the source written `webhooks_sharedkey_…:SECRET`; a request that names one is judged
//!   by it alone.
//! - A fragment in the URL given to Twilio sets timeouts and retries and is not part of the request.
//! - Event Streams sends an array of CloudEvents, each an event of its own; everything else is a form.

use std::time::Duration;

use crate::locate::Locate::{Form, Header, Join, Json};
use crate::scheme::Scheme;
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "twilio",
    title: "Twilio",
    docs: "https://www.twilio.com/docs/usage/security#validating-requests",
    scheme: Scheme::Twilio,
    delivery_id: &[
        // Before the token, which is the request's: the elements of one request would be copies of each other.
        Json("/id"),
        Header("i-twilio-idempotency-token"),
        Join("/", &[Form("CallStatus"), Form("CallSid")]),
        Join("/", &[Form("MessageStatus"), Form("MessageSid")]),
        Join("/", &[Form("SmsStatus"), Form("MessageSid")]),
    ],
    event_type: &[Form("MessageStatus"), Form("CallStatus"), Form("SmsStatus"), Form("EventType"), Json("/type")],
    ordering_key: &[
        Form("MessageSid"),
        Form("CallSid"),
        Form("ConversationSid"),
        Json("/data/messageSid"),
        Json("/data/callSid"),
    ],
    version: &[Form("SequenceNumber"), Json("/time")],
    events: Events::Each(""),
    reply: Acknowledgement { status: 200, body: Some(("text/xml", "<Response/>")) },
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Nothing says when a request was made. The URL is signed: it must be the public URL of the source. The auth token signs for the whole account; a secondary one does not sign until it is promoted.",
    samples: &[
        Sample {
            event: "delivered",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: include_str!("../samples/twilio_message_delivered.form"),
            object: "SM00000000000000000000000007yk2nn5",
        },
        Sample {
            event: "received",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: include_str!("../samples/twilio_message_received.form"),
            object: "SM00000000000000000000000007yk2nn5",
        },
        Sample {
            event: "completed",
            headers: &[("content-type", "application/x-www-form-urlencoded")],
            body: include_str!("../samples/twilio_call_completed.form"),
            object: "CA00000000000000000000000007yk2nn5",
        },
    ],
    ..Provider::DEFAULT
};
