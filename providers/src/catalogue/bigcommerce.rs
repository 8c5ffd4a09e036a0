//! BigCommerce. Standard Webhooks, keyed with the text of the app's client secret.
//! <https://developer.bigcommerce.com/docs/integrations/webhooks>

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::standard_webhooks::SharedSecret;
use crate::scheme::{Scheme, StandardWebhooks};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "bigcommerce",
    title: "BigCommerce",
    docs: "https://developer.bigcommerce.com/docs/integrations/webhooks",
    scheme: Scheme::StandardWebhooks(StandardWebhooks::shared(SharedSecret::Text)),
    families: &["webhook-"],
    delivery_id: &[Json("/hash")],
    event_type: &[Json("/scope")],
    ordering_key: &[Join("/", &[Json("/producer"), Json("/data/type"), Json("/data/id")])],
    version: &[Json("/created_at")],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "One event raised twice has one `hash`. Deactivated after about 48 hours of failures, or 90 days without events.",
    samples: &[Sample {
        event: "store/order/updated",
        headers: &[("content-type", "application/json")],
        body: r#"{"created_at":{{now}},"producer":"main","data":{"type":"main","id":"{{object}}"},"scope":"store/order/updated","hash":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
