//! Linear. HMAC-SHA256 of the body in hex; the time is in the body.
//! <https://linear.app/developers/webhooks>
//!
//! - The header `Linear-Timestamp` is not signed: only the body's `webhookTimestamp` counts.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed, Timestamp};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "linear",
    title: "Linear",
    docs: "https://linear.app/developers/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("linear-signature"))
            .timestamp(Timestamp::milliseconds(Json("/webhookTimestamp")).within(60)),
    ),
    delivery_id: &[Header("linear-delivery")],
    event_type: &[Join(".", &[Json("/type"), Json("/action")]), Json("/type")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updatedAt")],
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(5),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "Sent within a minute or refused: keep the clock right. Three retries, after a minute, an hour and six hours (unverified), each with a new time.",
    samples: &[
        Sample {
            event: "Issue.create",
            headers: &[
                ("content-type", "application/json; charset=utf-8"),
                ("linear-event", "Issue"),
                ("user-agent", "Linear-Webhook"),
            ],
            body: include_str!("../samples/linear_issue_create.json"),
            object: "2174add1-f7c8-44e3",
        },
        Sample {
            event: "Issue.update",
            headers: &[
                ("content-type", "application/json; charset=utf-8"),
                ("linear-event", "Issue"),
                ("user-agent", "Linear-Webhook"),
            ],
            body: include_str!("../samples/linear_issue_update.json"),
            object: "2174add1-f7c8-44e3",
        },
        Sample {
            event: "Comment.create",
            headers: &[
                ("content-type", "application/json; charset=utf-8"),
                ("linear-event", "Comment"),
                ("user-agent", "Linear-Webhook"),
            ],
            body: include_str!("../samples/linear_comment_create.json"),
            object: "9f1c-7yk2nn5",
        },
    ],
    ..Provider::DEFAULT
};
