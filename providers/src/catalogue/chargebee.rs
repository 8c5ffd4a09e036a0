//! Chargebee. No signature: HTTP Basic.
//! <https://www.chargebee.com/docs/2.0/webhook_settings.html>

use std::time::Duration;

use crate::locate::Locate::{Join, Json, Lit};
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "chargebee",
    title: "Chargebee",
    docs: "https://www.chargebee.com/docs/2.0/webhook_settings.html",
    scheme: Scheme::Basic,
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event_type")],
    ordering_key: &[
        Join("/", &[Lit("subscription"), Json("/content/subscription/id")]),
        Join("/", &[Lit("invoice"), Json("/content/invoice/id")]),
        Join("/", &[Lit("customer"), Json("/content/customer/id")]),
    ],
    version: &[
        Json("/content/subscription/resource_version"),
        Json("/content/invoice/resource_version"),
        Json("/content/customer/resource_version"),
        Json("/occurred_at"),
    ],
    volatile: &["/webhook_status", "/webhooks"],
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the password can send anything. `resource_version` tells which of two events is newer. Up to 7 retries, from 2 minutes to 2 days.",
    samples: &[Sample {
        event: "subscription_changed",
        headers: &[("content-type", "application/json")],
        body: r#"{"id":"{{id}}","occurred_at":{{now}},"event_type":"subscription_changed","content":{"subscription":{"id":"{{object}}","resource_version":{{now}}123}}}"#,
        object: "sub_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
