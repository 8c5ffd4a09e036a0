//! Amazon SNS: an RSA signature inside the message, over its fields in their sorted order.
//! <https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html>
//!
//! The body alone counts; the headers that repeat some of it, which nothing protects, must not say otherwise. Messages
//! delivered raw carry no signature and are refused.

use serde::Deserialize;

use super::key_set::Use;
use super::provider_key::{Held, Stop, keys_at, matching};
use super::{Clock, Encoding, Hash, PublicKey};
use crate::pinned::Hosts;
use crate::{KeyRequest, Keys, Reject, Request, Secret, SecretError};

/// What the certificates at those hosts are for: `sns.amazonaws.com`, or of one region.
const DOMAINS: &[&str] = &["amazonaws.com", "amazonaws.com.cn"];

/// The fields that are signed, or say how. A repeated one is refused by the parser.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Message {
    r#type: String,
    message_id: String,
    topic_arn: String,
    subject: Option<String>,
    message: String,
    timestamp: String,
    signature_version: String,
    signature: String,
    #[serde(rename = "SigningCertURL")]
    signing_cert_url: String,
    token: Option<String>,
    #[serde(rename = "SubscribeURL")]
    subscribe_url: Option<String>,
}

/// The index of the secret that is the message's topic, if the message is authentic.
pub(super) fn check(request: &Request<'_>, secrets: &[Secret], clock: Clock, keys: &Keys) -> Result<usize, Stop> {
    let message: Message =
        serde_json::from_slice(crate::json::without_bom(request.body)).map_err(|_| Reject::SignatureMissing)?;
    let said = [
        ("x-amz-sns-message-type", &message.r#type),
        ("x-amz-sns-message-id", &message.message_id),
        ("x-amz-sns-topic-arn", &message.topic_arn),
    ];
    for (header, value) in said {
        if request.headers.single(header)?.is_some_and(|found| found != value.as_bytes()) {
            return Err(Reject::SignatureMalformed.into());
        }
    }
    let kind = match message.signature_version.as_str() {
        "1" => PublicKey::Rsa(Hash::Sha1),
        "2" => PublicKey::Rsa(Hash::Sha256),
        _ => return Err(Reject::SignatureMalformed.into()),
    };
    let signature = Encoding::Base64.decode(&message.signature).ok_or(Reject::SignatureMalformed)?;
    let signed = message.signed()?;
    let is_certificate = |path: &str| {
        let name = path.strip_prefix("/SimpleNotificationService-").and_then(|path| path.strip_suffix(".pem"));
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    Hosts::Sns.target(&message.signing_cert_url).filter(|path| is_certificate(path)).ok_or(Reject::KeyUrlRefused)?;
    let usage = Use { kind, algorithm: None, domains: DOMAINS, now: clock.now };
    matching(
        secrets,
        |topic| topic == message.topic_arn,
        |_| keys_at(KeyRequest::get(message.signing_cert_url.as_str()), keys),
        |_, keys| keys.verifies(None, &usage, signed.as_bytes(), &signature),
        Ok(()),
    )
}

impl Message {
    fn signed(&self) -> Result<String, Reject> {
        let missing = Reject::SignatureMalformed;
        let fields = match self.r#type.as_str() {
            "Notification" => vec![
                ("Message", Some(&self.message)),
                ("MessageId", Some(&self.message_id)),
                ("Subject", self.subject.as_ref()),
                ("Timestamp", Some(&self.timestamp)),
                ("TopicArn", Some(&self.topic_arn)),
                ("Type", Some(&self.r#type)),
            ],
            "SubscriptionConfirmation" | "UnsubscribeConfirmation" => vec![
                ("Message", Some(&self.message)),
                ("MessageId", Some(&self.message_id)),
                ("SubscribeURL", Some(self.subscribe_url.as_ref().ok_or(missing)?)),
                ("Timestamp", Some(&self.timestamp)),
                ("Token", Some(self.token.as_ref().ok_or(missing)?)),
                ("TopicArn", Some(&self.topic_arn)),
                ("Type", Some(&self.r#type)),
            ],
            _ => return Err(Reject::SignatureMalformed),
        };
        Ok(fields.into_iter().filter_map(|(name, value)| Some(format!("{name}\n{}\n", value?))).collect())
    }
}

pub(super) fn check_secret(secret: &Secret) -> Result<(), SecretError> {
    let held = Held::of(secret)?;
    let is_topic = held.meant.starts_with("arn:aws") && held.meant.contains(":sns:");
    if is_topic || (held.meant.is_empty() && held.keys.is_some()) { Ok(()) } else { Err(SecretError::NotTopic) }
}
