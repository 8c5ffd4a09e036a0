//! Zoom. HMAC-SHA256 of version, time and body.
//! <https://developers.zoom.us/docs/api/webhooks/>

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Member, Proof, When};
use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Encoding, Part, Scheme, Signed, Timestamp};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "zoom",
    title: "Zoom",
    docs: "https://developers.zoom.us/docs/api/webhooks/",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-zm-signature"))
            .prefix("v0=")
            .signs(&[Part::Lit("v0:"), Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::seconds(Header("x-zm-request-timestamp"))),
    ),
    delivery_id: &[Join("/", &[Json("/event"), Json("/payload/object/uuid"), Json("/event_ts")])],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/payload/object/uuid"), Json("/payload/account_id")],
    version: &[Json("/event_ts")],
    handshake: &[Handshake {
        when: &[When::Is(Json("/event"), "endpoint.url_validation")],
        proof: Proof::Signature,
        answer: Answer::Object(&[
            ("plainToken", Member::Echo(Json("/payload/plainToken"))),
            ("encryptedToken", Member::Mac("", Encoding::Hex, Json("/payload/plainToken"))),
        ]),
    }],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(3),
    retry_horizon: Duration::from_secs(2 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Validates the URL again every 72 hours. Only 200 and 204 within 3 seconds count as success; retries after 5, 20 and 60 minutes.",
    samples: &[
        Sample {
            event: "meeting.started",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/zoom_meeting_started.json"),
            object: "4444AAAiAAAAAiAiAiiAii==",
        },
        Sample {
            event: "meeting.ended",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/zoom_meeting_ended.json"),
            object: "4444AAAiAAAAAiAiAiiAii==",
        },
        Sample {
            event: "recording.completed",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/zoom_recording_completed.json"),
            object: "4444AAAiAAAAAiAiAiiAii==",
        },
    ],
    ..Provider::DEFAULT
};
