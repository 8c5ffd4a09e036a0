//! Slack: Events API (JSON), interactivity (a form whose field `payload` is JSON) and slash commands (a plain form).
//! <https://docs.slack.dev/authentication/verifying-requests-from-slack>
//!
//! - The key is the signing secret as text, though it looks like hex.
//! - `url_verification` is signed like any event and answered with its challenge.
//!   <https://docs.slack.dev/reference/events/url_verification>
//! - `ssl_check=1` comes unsigned and is answered 200; nothing else of such a request is read, so nothing can be
//!   smuggled in beside it.
//! - `x-slack-retry-num` counts attempts and is no id; `event_id` stays the same.
//! - Interactions and commands are not retried; their `trigger_id` is unique.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Form, Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "slack",
    title: "Slack",
    docs: "https://docs.slack.dev/authentication/verifying-requests-from-slack",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-slack-signature"))
            .prefix("v0=")
            .signs(&[Part::Lit("v0:"), Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::seconds(Header("x-slack-request-timestamp"))),
    ),
    form_payload: Some("payload"),
    delivery_id: &[Json("/event_id"), Json("/trigger_id"), Form("trigger_id")],
    event_type: &[Json("/event/type"), Json("/type"), Form("command")],
    ordering_key: &[
        Join("/", &[Json("/team_id"), Json("/event/channel")]),
        Join("/", &[Json("/team_id"), Json("/event/item/channel")]),
        Join("/", &[Json("/team_id"), Json("/event/channel/id")]),
        Join("/", &[Json("/team/id"), Json("/channel/id")]),
        Join("/", &[Form("team_id"), Form("channel_id")]),
        Json("/team_id"),
        Json("/team/id"),
    ],
    version: &[Json("/event/event_ts"), Json("/action_ts")],
    handshake: &[
        Handshake { when: &[When::Is(Form("ssl_check"), "1")], proof: Proof::Nothing, answer: Answer::Empty },
        Handshake {
            when: &[When::Is(Json("/type"), "url_verification")],
            proof: Proof::Signature,
            answer: Answer::Json("challenge", Json("/challenge")),
        },
    ],
    // What comes back is shown to the person who typed the command, so it has to be nothing.
    reply: Acknowledgement { status: 200, body: Some(("text/plain", "")) },
    ack_deadline: Duration::from_secs(3),
    // Three retries: at once, after a minute, after five.
    retry_horizon: Duration::from_secs(3_600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Wants an answer within 3 seconds. Slash commands and interactions are not sent again. `ssl_check` requests are unsigned and only answered.",
    samples: &[
        Sample {
            event: "message",
            headers: JSON,
            body: include_str!("../samples/slack_message.json"),
            object: "C07HOOKGATE",
        },
        Sample {
            event: "block_actions",
            headers: FORM,
            body: include_str!("../samples/slack_block_actions.form"),
            object: "C07HOOKGATE",
        },
        Sample {
            event: "/deploy",
            headers: FORM,
            body: include_str!("../samples/slack_command.form"),
            object: "C07HOOKGATE",
        },
        Sample {
            event: "app_mention",
            headers: JSON,
            body: include_str!("../samples/slack_app_mention.json"),
            object: "C07HOOKGATE",
        },
        Sample {
            event: "reaction_added",
            headers: JSON,
            body: include_str!("../samples/slack_reaction_added.json"),
            object: "C07HOOKGATE",
        },
    ],
    ..Provider::DEFAULT
};

const JSON: &[(&str, &str)] =
    &[("content-type", "application/json"), ("user-agent", "Slackbot 1.0 (+https://api.slack.com/robots)")];
const FORM: &[(&str, &str)] = &[
    ("content-type", "application/x-www-form-urlencoded"),
    ("user-agent", "Slackbot 1.0 (+https://api.slack.com/robots)"),
];
