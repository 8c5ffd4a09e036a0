//! SurveyMonkey. HMAC-SHA1 of the body in base64. The secret is `CLIENT_ID:CLIENT_SECRET`.
//! <https://developer.surveymonkey.com/api/v3/#webhooks>
//!
//! - Second-hand: read from independent implementations.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, KeyForm, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "surveymonkey",
    title: "SurveyMonkey",
    docs: "https://developer.surveymonkey.com/api/v3/#webhooks",
    scheme: Scheme::Signed(
        Signed::base64(Header("sm-signature")).hash(Hash::Sha1).key(KeyForm::Joined("&")).named_in(Header("sm-apikey")),
    ),
    delivery_id: &[Json("/event_id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[Json("/object_id")],
    version: &[Json("/event_datetime")],
    handshake: &[Handshake { when: &[When::Method("HEAD")], proof: Proof::Nothing, answer: Answer::Empty }],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Second-hand: confirm with a test event before relying on it.",
    samples: &[Sample {
        event: "response_completed",
        headers: &[("content-type", "application/json")],
        body: r#"{"event_datetime":"{{now_rfc3339}}","object_id":"{{object}}","event_type":"response_completed","event_id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
