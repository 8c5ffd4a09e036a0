//! Amazon EventBridge. No signature: a connection with Basic, or with an API key named `x-api-key`.
//! <https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "eventbridge",
    title: "Amazon EventBridge",
    docs: "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("x-api-key")))]),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/detail-type")],
    ordering_key: &[Json("/resources/0")],
    version: &[Json("/time")],
    ack_deadline: Duration::from_secs(5),
    retry_horizon: Duration::from_secs(86_400),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Wants an answer within 5 seconds; sends again after 429 and 5xx for up to 24 hours. Nothing is signed.",
    samples: &[Sample {
        event: "EC2 Instance State-change Notification",
        headers: &[("content-type", "application/json")],
        body: r#"{"time":"{{now_rfc3339}}","resources":["{{object}}"],"detail-type":"EC2 Instance State-change Notification","id":"{{id}}"}"#,
        object: "arn:aws:ec2:eu-west-1:111122223333:instance/i-07yk2nn5",
    }],
    ..Provider::DEFAULT
};
