//! Amazon SNS. RSA with SHA-1 or SHA-256 over the message's fields, the signature among them; the key is the certificate
//! that the message names, fetched from SNS's own hosts.
//! <https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html>
//!
//! - AWS signs for everybody's topics: the source's secrets are the ARNs of the topics that may come in.
//! - A subscription takes effect when the URL in its confirmation is visited. That message is signed like the others,
//!   and the URL has to be SNS's. The confirmation of an end of subscription also holds such a URL, which would undo it:
//!   it is answered and not visited.
//! - "Raw message delivery" takes the signature away: leave it off.
//! - Of the body all but `UnsubscribeURL` is signed; neither the JSON around it nor any header is.
//! - Use topics with `SignatureVersion` 2: 1 means SHA-1.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::Json;
use crate::pinned::Hosts;
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "aws-sns",
    title: "Amazon SNS",
    docs: "https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html",
    scheme: Scheme::Sns,
    delivery_id: &[Json("/MessageId")],
    event_type: &[Json("/Type")],
    ordering_key: &[Json("/TopicArn")],
    version: &[Json("/Timestamp")],
    handshake: &[
        Handshake {
            when: &[When::Is(Json("/Type"), "SubscriptionConfirmation")],
            proof: Proof::Signature,
            answer: Answer::Visit(Json("/SubscribeURL"), Hosts::Sns),
        },
        Handshake {
            when: &[When::Is(Json("/Type"), "UnsubscribeConfirmation")],
            proof: Proof::Signature,
            answer: Answer::Empty,
        },
    ],
    ack_deadline: Duration::from_secs(15),
    retry_horizon: Duration::from_secs(3600),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The secret is the ARN of your topic. Raw message delivery is unsigned and refused. UnsubscribeURL is not signed. A retry keeps its time, so only the id tells a replay.",
    samples: &[Sample {
        event: "Notification",
        headers: &[("content-type", "text/plain; charset=UTF-8"), ("x-amz-sns-message-type", "Notification")],
        body: r#"{"Type":"Notification","MessageId":"{{id}}","TopicArn":"{{object}}","Message":"order 7 was paid","Timestamp":"{{now_rfc3339}}","SignatureVersion":"2","Signature":"","SigningCertURL":"https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem"}"#,
        object: "arn:aws:sns:eu-central-1:123456789012:orders",
    }],
    ..Provider::DEFAULT
};
