//! Dropbox Sign: an HMAC over time and type of the event, inside the JSON that is a field of a multipart form.
//! <https://developers.hellosign.com/docs/events/walkthrough/>
//!
//! Nothing else of the event is protected.

use std::borrow::Cow;

use subtle::ConstantTimeEq;

use super::{Encoding, Hash, multipart};
use crate::{Reject, Request, Secret, json};

const FIELDS: [&str; 3] = ["/event/event_time", "/event/event_type", "/event/event_hash"];

pub(super) fn check(request: &Request<'_>, secrets: &[Secret]) -> Result<usize, Reject> {
    let document = document(request)?.ok_or(Reject::SignatureMissing)?;
    if FIELDS.iter().any(|pointer| json::repeats(document, pointer)) {
        return Err(Reject::SignatureMalformed);
    }
    let found: Vec<_> = json::scan(document, &FIELDS).into_iter().map(|value| value.and_then(json::scalar)).collect();
    let [Some(time), Some(kind), Some(hash)] = &found[..] else { return Err(Reject::SignatureMissing) };
    let hash = Encoding::Hex.decode(hash).ok_or(Reject::SignatureMalformed)?;
    // The two are joined without a separator: digits first, then a type that has none at its start.
    if !time.bytes().all(|byte| byte.is_ascii_digit()) || kind.starts_with(|first: char| first.is_ascii_digit()) {
        return Err(Reject::SignatureMalformed);
    }
    let signed: [Cow<'_, [u8]>; 2] = [time.as_bytes().into(), kind.as_bytes().into()];
    let is = |secret: &Secret| {
        secret.verify_token().is_none() && bool::from(Hash::Sha256.hmac(secret.bytes(), &signed).ct_eq(&hash))
    };
    secrets.iter().position(is).ok_or(Reject::SignatureMismatch)
}

/// The field `json` of the form.
pub(super) fn document<'r>(request: &Request<'r>) -> Result<Option<&'r [u8]>, Reject> {
    multipart::field(request, "json")
}
