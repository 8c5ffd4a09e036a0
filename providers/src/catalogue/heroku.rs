//! Heroku. HMAC-SHA256 of the body in base64.
//! <https://devcenter.heroku.com/articles/app-webhooks>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "heroku",
    title: "Heroku",
    docs: "https://devcenter.heroku.com/articles/app-webhooks",
    scheme: Scheme::Signed(Signed::base64(Header("heroku-webhook-hmac-sha256"))),
    delivery_id: &[Json("/id")],
    event_type: &[Join(".", &[Json("/resource"), Json("/action")])],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated_at")],
    volatile: &["/webhook_metadata/attempt/id"],
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Level `notify` sends once; `sync` sends again for 72 hours. `sequence` and `published_at` may be null.",
    samples: &[Sample {
        event: "release.update",
        headers: &[("content-type", "application/json")],
        body: r#"{"data":{"updated_at":"{{now_rfc3339}}","id":"{{object}}"},"resource":"release","action":"update","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
