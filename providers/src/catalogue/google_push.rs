//! Google Calendar and Drive push. No signature: the token chosen for the channel in a header.
//! <https://developers.google.com/workspace/calendar/api/guides/push>

use crate::locate::Locate::{Header, Join};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "google-push",
    title: "Google Calendar and Drive push",
    docs: "https://developers.google.com/workspace/calendar/api/guides/push",
    scheme: Scheme::Token(Token::at(Header("x-goog-channel-token"))),
    delivery_id: &[Join("/", &[Header("x-goog-channel-id"), Header("x-goog-message-number")])],
    event_type: &[Header("x-goog-resource-state")],
    ordering_key: &[Join("/", &[Header("x-goog-channel-id"), Header("x-goog-resource-id")])],
    version: &[Header("x-goog-message-number")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. The body is empty: fetch what changed. The first message of a channel has the state `sync`. Message numbers grow and skip.",
    samples: &[Sample {
        event: "exists",
        headers: &[
            ("content-type", "application/json"),
            ("x-goog-channel-id", "{{id}}"),
            ("x-goog-message-number", "7"),
            ("x-goog-resource-state", "exists"),
            ("x-goog-resource-id", "{{object}}"),
        ],
        body: "",
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
