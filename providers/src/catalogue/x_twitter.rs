//! X. HMAC-SHA256 of the body in base64, keyed with the consumer secret.
//! <https://docs.x.com/x-api/webhooks/introduction>
//!
//! - The CRC answer is the HMAC of what was asked, the same as an event's signature: only short plain tokens are
//!   answered, so that nobody can have an event signed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Member, Proof, When};
use crate::locate::Locate::{Header, IfPresent, Json, Query};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "x-twitter",
    title: "X",
    docs: "https://docs.x.com/x-api/webhooks/introduction",
    scheme: Scheme::Signed(Signed::base64(Header("x-twitter-webhooks-signature")).prefix("sha256=")),
    delivery_id: &[
        Json("/tweet_create_events/0/id_str"),
        Json("/direct_message_events/0/id"),
        Json("/favorite_events/0/id"),
    ],
    event_type: &[
        IfPresent("/tweet_create_events", "tweet_create_events"),
        IfPresent("/direct_message_events", "direct_message_events"),
        IfPresent("/favorite_events", "favorite_events"),
        IfPresent("/follow_events", "follow_events"),
        IfPresent("/tweet_delete_events", "tweet_delete_events"),
    ],
    ordering_key: &[Json("/for_user_id")],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("crc_token"))],
        proof: Proof::Nothing,
        answer: Answer::Object(&[("response_token", Member::Mac("sha256=", Encoding::Base64, Query("crc_token")))]),
    }],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(10),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Asks for the CRC every half hour to hour. The URL must be https without a port.",
    samples: &[Sample {
        event: "tweet_create_events",
        headers: &[("content-type", "application/json")],
        body: r#"{"for_user_id":"{{object}}","tweet_create_events":[{"id_str":"{{id}}","text":"hello"}]}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
