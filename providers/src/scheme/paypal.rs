//! PayPal: an RSA signature over transmission id, time, webhook id and the CRC-32 of the body.
//! <https://developer.paypal.com/api/rest/webhooks/rest/>
//!
//! A CRC protects against accidents only: whoever has one delivery can write another body with its checksum.

use super::key_set::Use;
use super::message::text;
use super::provider_key::{Held, Stop, keys_at, matching};
use super::{Clock, Encoding, Hash, PublicKey, Timestamp};
use crate::pinned::Hosts;
use crate::{Headers, KeyRequest, Keys, Locate, Reject, Request, Secret, SecretError, SignError, Unsigned};

const HOSTS: Hosts =
    Hosts::Named(&["api.paypal.com", "api.sandbox.paypal.com", "api-m.paypal.com", "api-m.sandbox.paypal.com"]);
const DOMAINS: &[&str] = &["paypal.com"];
const KIND: PublicKey = PublicKey::Rsa(Hash::Sha256);
/// PayPal retries for three days, and does not say whether a retry has a time of its own.
pub(super) const TIME: Timestamp = Timestamp::rfc3339(Locate::Header("paypal-transmission-time")).within(3 * 86_400);
/// What `sign` names as the place of its key.
const CERTIFICATE: &str = "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-hookgate";

/// The index of the secret with the webhook's id, if the request is authentic and fresh.
pub(super) fn check(request: &Request<'_>, secrets: &[Secret], clock: Clock, keys: &Keys) -> Result<usize, Stop> {
    let header = |name: &str, missing: Reject| text(request.headers.single(name)?)?.ok_or(missing);
    let signature = header("paypal-transmission-sig", Reject::SignatureMissing)?;
    let id = header("paypal-transmission-id", Reject::IdMissing)?;
    let time = header("paypal-transmission-time", Reject::TimestampMissing)?;
    let url = header("paypal-cert-url", Reject::SignedHeaderMissing)?;
    // SHA1withRSA, which older libraries take, is a way down.
    if header("paypal-auth-algo", Reject::SignatureMissing)? != "SHA256withRSA" {
        return Err(Reject::SignatureMalformed.into());
    }
    let signature = Encoding::Base64.decode(signature).ok_or(Reject::SignatureMalformed)?;
    // A separator in the id would let two requests have one signed text.
    if id.contains('|') {
        return Err(Reject::IdMalformed.into());
    }
    let is_certificate = |path: &str| {
        let name = path.strip_prefix("/v1/notifications/certs/CERT-");
        name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
    };
    HOSTS.target(url).filter(|path| is_certificate(path)).ok_or(Reject::KeyUrlRefused)?;
    if !TIME.parses(time) {
        return Err(Reject::TimestampMalformed.into());
    }
    let usage = Use { kind: KIND, algorithm: None, domains: DOMAINS, now: clock.now };
    // The webhook's id is in the signed text only: every one of the source's is tried.
    matching(
        secrets,
        |webhook| !webhook.is_empty(),
        |_| keys_at(KeyRequest::get(url), keys),
        |webhook, keys| keys.verifies(None, &usage, message(id, time, webhook, request.body).as_bytes(), &signature),
        TIME.check(time, clock),
    )
}

fn message(id: &str, time: &str, webhook: &str, body: &[u8]) -> String {
    format!("{id}|{time}|{webhook}|{}", crc32fast::hash(body))
}

pub(super) fn sign(unsigned: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
    let held = Held::of(secret)?;
    if held.meant.is_empty() {
        return Err(SignError::NotSignable);
    }
    let time = TIME.unit.write(unsigned.now);
    let id = if unsigned.id.is_empty() { "1" } else { unsigned.id };
    let signed = message(id, &time, held.meant, unsigned.body);
    let signature = held.keys.ok_or(SignError::NotSignable)?.sign(KIND, signed.as_bytes())?;
    let headers = [
        ("paypal-transmission-id", id.to_owned()),
        ("paypal-transmission-time", time),
        ("paypal-transmission-sig", Encoding::Base64.encode(&signature)),
        ("paypal-cert-url", CERTIFICATE.to_owned()),
        ("paypal-auth-algo", "SHA256withRSA".to_owned()),
    ];
    Ok(headers.into_iter().collect())
}

pub(super) fn check_secret(secret: &Secret) -> Result<(), SecretError> {
    let held = Held::of(secret)?;
    let is_id = !held.meant.is_empty() && held.meant.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id || (held.meant.is_empty() && held.keys.is_some()) { Ok(()) } else { Err(SecretError::NotWebhookId) }
}
