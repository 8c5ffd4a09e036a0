//! WooCommerce. HMAC-SHA256 of the body in base64, keyed with the secret after HTML entities in it are resolved.
//! <https://woocommerce.com/document/webhooks/>
//!
//! - `X-WC-Webhook-Delivery-ID` is new for each attempt and equal for two deliveries of one second: no delivery id.
//! - When a webhook is saved, an unsigned form `webhook_id=…` must be answered with 200; it carries nothing.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Form, Header, Join, Json};
use crate::scheme::{KeyForm, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "woocommerce",
    title: "WooCommerce",
    docs: "https://woocommerce.com/document/webhooks/",
    scheme: Scheme::Signed(Signed::base64(Header("x-wc-webhook-signature")).key(KeyForm::HtmlEscaped)),
    event_type: &[Header("x-wc-webhook-topic")],
    ordering_key: &[
        Join("/", &[Header("x-wc-webhook-source"), Header("x-wc-webhook-resource"), Json("/id")]),
        Join("/", &[Header("x-wc-webhook-resource"), Json("/id")]),
    ],
    version: &[Json("/date_modified_gmt")],
    handshake: &[Handshake {
        when: &[
            When::Present(Form("webhook_id")),
            When::Absent(Header("x-wc-webhook-topic")),
            When::Absent(Header("x-wc-webhook-signature")),
        ],
        proof: Proof::Nothing,
        answer: Answer::Empty,
    }],
    ack_deadline: Duration::from_secs(60),
    resends_automatically: false,
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Does not send a failed delivery again; disables the webhook after 5 failures in a row. Events have no usable id: compare `date_modified_gmt`. 200 to 302 count as success.",
    samples: &[
        Sample {
            event: "order.created",
            headers: &[
                ("content-type", "application/json"),
                ("user-agent", "WooCommerce/9.8 Hookshot (WordPress/6.9)"),
                ("x-wc-webhook-source", "https://shop.example/"),
                ("x-wc-webhook-topic", "order.created"),
                ("x-wc-webhook-resource", "order"),
                ("x-wc-webhook-event", "created"),
                ("x-wc-webhook-id", "3"),
                ("x-wc-webhook-delivery-id", "8f1c{{now}}"),
            ],
            body: include_str!("../samples/woocommerce_order_created.json"),
            object: "727",
        },
        Sample {
            event: "order.updated",
            headers: &[
                ("content-type", "application/json"),
                ("user-agent", "WooCommerce/9.8 Hookshot (WordPress/6.9)"),
                ("x-wc-webhook-source", "https://shop.example/"),
                ("x-wc-webhook-topic", "order.updated"),
                ("x-wc-webhook-resource", "order"),
                ("x-wc-webhook-event", "updated"),
                ("x-wc-webhook-id", "3"),
                ("x-wc-webhook-delivery-id", "8f1c{{now}}"),
            ],
            body: include_str!("../samples/woocommerce_order_updated.json"),
            object: "727",
        },
        Sample {
            event: "product.updated",
            headers: &[
                ("content-type", "application/json"),
                ("user-agent", "WooCommerce/9.8 Hookshot (WordPress/6.9)"),
                ("x-wc-webhook-source", "https://shop.example/"),
                ("x-wc-webhook-topic", "product.updated"),
                ("x-wc-webhook-resource", "product"),
                ("x-wc-webhook-event", "updated"),
                ("x-wc-webhook-id", "3"),
                ("x-wc-webhook-delivery-id", "8f1c{{now}}"),
            ],
            body: include_str!("../samples/woocommerce_product_updated.json"),
            object: "93",
        },
    ],
    ..Provider::DEFAULT
};
