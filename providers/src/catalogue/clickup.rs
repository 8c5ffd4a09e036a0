//! ClickUp. HMAC-SHA256 of the body in hex.
//! <https://developer.clickup.com/docs/webhooksignature>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "clickup",
    title: "ClickUp",
    docs: "https://developer.clickup.com/docs/webhooksignature",
    scheme: Scheme::Signed(Signed::hex(Header("x-signature"))),
    delivery_id: &[Join("/", &[Json("/webhook_id"), Json("/history_items/0/id")])],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/task_id"), Json("/list_id"), Json("/goal_id")],
    version: &[Json("/history_items/0/date")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Deletions of tasks carry no history item, so no id.",
    samples: &[
        Sample {
            event: "taskCreated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clickup_taskcreated.json"),
            object: "1vj37mc",
        },
        Sample {
            event: "taskStatusUpdated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clickup_taskstatusupdated.json"),
            object: "1vj37mc",
        },
        Sample {
            event: "taskCommentPosted",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/clickup_taskcommentposted.json"),
            object: "1vj37mc",
        },
    ],
    ..Provider::DEFAULT
};
