//! Google Cloud Pub/Sub, and what pushes through it (Gmail, Cloud Build …). A token (RS256) of the service account that
//! the subscription pushes as; Google's keys are fetched.
//! <https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions>
//!
//! - **The body is not signed**: within the hour that a token lives, whoever sees one can push anything.
//! - Google signs for everybody's accounts: the secret is the account's address, and the audience if it is not the
//!   source's URL: `EMAIL AUDIENCE`.
//! - The payload is base64 in `/message/data`.

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::jwt::{Signer, TokenPlace};
use crate::scheme::{Jwt, Scheme};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "google-pubsub",
    title: "Google Cloud Pub/Sub",
    docs: "https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions",
    scheme: Scheme::Jwt(Jwt {
        must_expire: true,
        leeway_s: 10,
        signer: Signer::Google,
        ..Jwt::rs256(TokenPlace::Header("authorization", "Bearer "))
    }),
    delivery_id: &[Json("/message/messageId"), Json("/message/message_id"), Header("x-goog-pubsub-message-id")],
    event_type: &[Json("/message/attributes/eventType"), Json("/message/attributes/ce-type")],
    ordering_key: &[Json("/message/orderingKey"), Header("x-goog-pubsub-ordering-key")],
    version: &[Json("/message/publishTime"), Header("x-goog-pubsub-publish-time")],
    volatile: &["/deliveryAttempt"],
    reply: Acknowledgement { status: 202, body: None },
    ack_deadline: Duration::from_secs(10),
    retry_horizon: Duration::from_secs(604800),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "The message is not signed. Only 102, 200, 201, 202 and 204 are taken as an answer. The secret is the pushing service account: EMAIL, or EMAIL AUDIENCE.",
    samples: &[Sample {
        event: "order.paid",
        headers: &[("content-type", "application/json")],
        body: r#"{"message":{"data":"eyJvcmRlciI6N30=","messageId":"{{id}}","message_id":"{{id}}","orderingKey":"{{object}}","publishTime":"{{now_rfc3339}}","attributes":{"eventType":"order.paid"}},"subscription":"projects/hookgate-demo/subscriptions/orders","deliveryAttempt":1}"#,
        object: "order-7",
    }],
    ..Provider::DEFAULT
};
