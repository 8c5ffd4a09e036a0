//! Shopify. HMAC-SHA256 over the raw body in base64, keyed with the app's client secret.
//! <https://shopify.dev/docs/apps/build/webhooks/subscribe/https>
//!
//! - Two header families: `x-shopify-…`, and `shopify-…` of the newer Events. A request can have both; only the
//!   family that carries the signature used is read, `shopify-…` first, as Shopify's own library does.
//! - The delivery id is the Event-Id, which Shopify's documentation names for telling duplicates; the Webhook-Id differs
//!   when an event reaches us through two subscriptions. One merchant action can raise events of several topics under
//!   one Event-Id, so copies must have the same topic and shop too.
//! - Only the body is signed: id, topic, shop and time are headers that a forger with one captured request can change.
//! - Webhooks made in the store's admin are signed with another secret, shown there.

use std::time::Duration;

use crate::locate::Locate::{Family, Join, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "shopify",
    title: "Shopify",
    docs: "https://shopify.dev/docs/apps/build/webhooks/subscribe/https",
    scheme: Scheme::Signed(Signed::base64(Family("hmac-sha256")).refuse_empty_body()),
    families: &["shopify-", "x-shopify-"],
    delivery_id: &[Family("event-id"), Family("webhook-id")],
    dedup_scope: &[Family("shop-domain"), Family("topic")],
    event_type: &[Family("topic")],
    ordering_key: &[
        Join("|", &[Family("shop-domain"), Family("resource-id")]),
        Join("|", &[Family("shop-domain"), Json("/admin_graphql_api_id")]),
        Join("|", &[Family("shop-domain"), Json("/id")]),
    ],
    version: &[Family("triggered-at"), Json("/updated_at")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(4 * 3_600),
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Gives up after 8 retries in 4 hours and then deletes subscriptions made through the API. Expects an answer within 5 seconds, 1 of them to connect.",
    samples: &[
        Sample {
            event: "orders/create",
            headers: &headers("orders/create"),
            body: include_str!("../samples/shopify_orders_create.json"),
            object: "5823019417842",
        },
        Sample {
            event: "products/update",
            headers: &headers("products/update"),
            body: include_str!("../samples/shopify_products_update.json"),
            object: "8121440272626",
        },
        Sample {
            event: "app/uninstalled",
            headers: &headers("app/uninstalled"),
            body: include_str!("../samples/shopify_app_uninstalled.json"),
            object: "690933842",
        },
        Sample {
            event: "refunds/create",
            headers: &headers("refunds/create"),
            body: include_str!("../samples/shopify_refunds_create.json"),
            object: "890088186047",
        },
    ],
    ..Provider::DEFAULT
};

const fn headers(topic: &'static str) -> [(&'static str, &'static str); 6] {
    [
        ("x-shopify-topic", topic),
        ("x-shopify-shop-domain", "hookgate-demo.myshopify.com"),
        ("x-shopify-api-version", "2026-04"),
        ("x-shopify-webhook-id", "{{id}}-1"),
        ("x-shopify-triggered-at", "{{now_rfc3339}}"),
        ("content-type", "application/json"),
    ]
}
