//! QuickBooks Online. HMAC-SHA256 of the body in base64, keyed with the verifier token.
//! <https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks>
//!
//! - Two shapes of body: an array of CloudEvents, and the older `eventNotifications`, which is one event here.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Acknowledgement, Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "quickbooks",
    title: "QuickBooks Online",
    docs: "https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("intuit-signature"))),
    delivery_id: &[Json("/id")],
    event_type: &[
        Json("/type"),
        Join(
            ".",
            &[
                Json("/eventNotifications/0/dataChangeEvent/entities/0/name"),
                Json("/eventNotifications/0/dataChangeEvent/entities/0/operation"),
            ],
        ),
    ],
    ordering_key: &[
        Join("/", &[Json("/intuitaccountid"), Json("/intuitentityid")]),
        Join(
            "/",
            &[
                Json("/eventNotifications/0/realmId"),
                Json("/eventNotifications/0/dataChangeEvent/entities/0/name"),
                Json("/eventNotifications/0/dataChangeEvent/entities/0/id"),
            ],
        ),
    ],
    version: &[Json("/time"), Json("/eventNotifications/0/dataChangeEvent/entities/0/lastUpdated")],
    events: Events::Each(""),
    reply: Acknowledgement { status: 200, body: None },
    ack_deadline: Duration::from_secs(3),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Wants an answer within 3 seconds. A failing request holds back those behind it; retries go on every 6 hours. Changes are gathered for up to 5 minutes.",
    samples: &[Sample {
        event: "qbo.invoice.updated.v1",
        headers: &[("content-type", "application/json")],
        body: r#"[{"time":"{{now_rfc3339}}","intuitaccountid":"main","intuitentityid":"{{object}}","type":"qbo.invoice.updated.v1","id":"{{id}}"}]"#,
        object: "4711",
    }],
    ..Provider::DEFAULT
};
