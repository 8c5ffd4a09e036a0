//! Trello. HMAC-SHA1 of the body and the callback URL as registered, in base64, keyed with the API secret.
//! <https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/>

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "trello",
    title: "Trello",
    docs: "https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/",
    scheme: Scheme::Signed(Signed::base64(Header("x-trello-webhook")).hash(Hash::Sha1).signs(&[Part::Body, Part::Url])),
    delivery_id: &[Json("/action/id")],
    event_type: &[Json("/action/type")],
    ordering_key: &[Json("/action/data/card/id"), Json("/action/data/board/id")],
    version: &[Json("/action/date")],
    handshake: &[Handshake { when: &[When::Method("HEAD")], proof: Proof::Nothing, answer: Answer::Empty }],
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The URL is signed. Retries after 30, 60 and 120 seconds. 410 deletes the webhook.",
    samples: &[
        Sample {
            event: "createCard",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/trello_createcard.json"),
            object: "5abbe4b7ddc1b351ef961414",
        },
        Sample {
            event: "updateCard",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/trello_updatecard.json"),
            object: "5abbe4b7ddc1b351ef961414",
        },
        Sample {
            event: "commentCard",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/trello_commentcard.json"),
            object: "5abbe4b7ddc1b351ef961414",
        },
    ],
    ..Provider::DEFAULT
};
