//! Vonage's signed SMS: `sig` among the parameters of the form, the query or the JSON body, over all the others.
//! <https://developer.vonage.com/en/getting-started/concepts/signing-messages>
//!
//! The account chooses the method, which the request does not name: an HMAC with MD5, SHA-1, SHA-256 or SHA-512, told by
//! its length, or a plain MD5 with the secret at the end, as the oldest accounts have it. In names and values `&` and
//! `=` are signed as `_`, so two parameters can be moved into one another; nothing else can be changed.

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use super::message::is_form;
use super::{Clock, Encoding, Hash, Timestamp};
use crate::{Locate, Reject, Request, Secret};

/// Vonage tries for a day, and does not say that a retry has a time of its own.
const TIME: Timestamp = Timestamp::seconds(Locate::Form("timestamp")).within(86_400);
const HASHES: [Hash; 4] = [Hash::Md5, Hash::Sha1, Hash::Sha256, Hash::Sha512];

pub(super) fn check(request: &Request<'_>, secrets: &[Secret], clock: Clock) -> Result<usize, Reject> {
    let mut parameters = parameters(request)?;
    parameters.sort_unstable();
    if parameters.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(Reject::HeaderRepeated);
    }
    let value = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let sig = value("sig").filter(|sig| !sig.is_empty()).ok_or(Reject::SignatureMissing)?;
    let sig = Encoding::HexAnyCase.decode(sig).ok_or(Reject::SignatureMalformed)?;
    let hash = HASHES.into_iter().find(|hash| hash.size() == sig.len()).ok_or(Reject::SignatureMalformed)?;
    let time = value("timestamp").ok_or(Reject::TimestampMissing)?;
    let clean = |text: &str| text.replace(['&', '='], "_");
    let signed = parameters.iter().filter(|(name, _)| name != "sig");
    let signed: String = signed.map(|(name, value)| format!("&{}={}", clean(name), clean(value))).collect();
    let is = |secret: &Secret| {
        let with_key = hash.hmac(secret.bytes(), &[signed.as_bytes().into()]);
        let plain = Hash::Md5.digest(&[signed.as_bytes().into(), secret.bytes().into()]);
        secret.verify_token().is_none() && bool::from(with_key.ct_eq(&sig) | plain.ct_eq(&sig))
    };
    let index = secrets.iter().position(is).ok_or(Reject::SignatureMismatch)?;
    TIME.check(time, clock).map(|()| index)
}

fn parameters(request: &Request<'_>) -> Result<Vec<(String, String)>, Reject> {
    if request.method == "GET" {
        let query = request.url.split_once('?').map_or("", |(_, query)| query.split('#').next().unwrap_or_default());
        return Ok(form_urlencoded::parse(query.as_bytes()).into_owned().collect());
    }
    if is_form(request.headers) {
        return Ok(form_urlencoded::parse(request.body).into_owned().collect());
    }
    let object: Map<String, Value> = serde_json::from_slice(request.body).map_err(|_| Reject::SignatureMissing)?;
    let text = |value: Value| match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(Reject::SignatureMalformed),
    };
    object.into_iter().map(|(name, value)| Ok((name, text(value)?))).collect()
}
