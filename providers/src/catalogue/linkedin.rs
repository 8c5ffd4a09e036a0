//! LinkedIn. HMAC-SHA256 of `hmacsha256=` and the body: the prefix is signed, and may also stand in the header.
//! <https://learn.microsoft.com/en-us/linkedin/shared/api-guide/webhook-validation>

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Member, Proof, When};
use crate::locate::Locate::{Header, Json, Query};
use crate::scheme::{Encoding, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "linkedin",
    title: "LinkedIn",
    docs: "https://learn.microsoft.com/en-us/linkedin/shared/api-guide/webhook-validation",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-li-signature"))
            .optional_prefix("hmacsha256=")
            .signs(&[Part::Lit("hmacsha256="), Part::Body]),
    ),
    delivery_id: &[Json("/notificationId")],
    event_type: &[Json("/action")],
    ordering_key: &[Json("/organizationalEntity")],
    version: &[Json("/lastModifiedAt")],
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("challengeCode"))],
        proof: Proof::Nothing,
        answer: Answer::Object(&[
            ("challengeCode", Member::Echo(Query("challengeCode"))),
            ("challengeResponse", Member::Mac("", Encoding::Hex, Query("challengeCode"))),
        ]),
    }],
    ack_deadline: Duration::from_secs(3),
    retry_horizon: Duration::from_secs(8 * 3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Asks for the challenge every 2 hours, to be answered within 3 seconds, and blocks an endpoint after 3 failures. Redelivers every 5 minutes for 8 hours.",
    samples: &[Sample {
        event: "COMMENT",
        headers: &[("content-type", "application/json")],
        body: r#"{"lastModifiedAt":{{now}}000,"organizationalEntity":"{{object}}","action":"COMMENT","notificationId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
