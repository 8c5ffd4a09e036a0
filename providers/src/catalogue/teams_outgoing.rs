//! Microsoft Teams (outgoing webhook). HMAC-SHA256 of the body in base64 behind `HMAC `; the key is base64.
//! <https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "teams-outgoing",
    title: "Microsoft Teams (outgoing webhook)",
    docs: "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook",
    scheme: Scheme::Signed(Signed::base64(Header("authorization")).prefix("HMAC ").key(KeyForm::Base64)),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/conversation/id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(5),
    resends_automatically: false,
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Wants its answer as a message within 5 seconds; never sent again.",
    samples: &[Sample {
        event: "message",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","conversation":{"id":"{{object}}"},"type":"message","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
