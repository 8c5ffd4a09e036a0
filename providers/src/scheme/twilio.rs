//! Twilio: an HMAC over the URL and the form's fields, or over a URL that holds the hash of the body.
//! <https://www.twilio.com/docs/usage/security#validating-requests>
//!
//! - The URL is signed as Twilio knows it, which may have a default port where ours has none and the other way round, and
//!   spells its query in one of three ways. Each combination that differs is tried.
//! - With a header of settings, the shared key it names signs, and the auth token does not count. The header itself is
//!   not signed, so only known hash functions do.

use subtle::ConstantTimeEq;

use super::message::{Part, at, is_form, message, text};
use super::{Encoding, Hash, KeyForm};
use crate::{Headers, Locate, Reject, Request, Secret, SignError, Unsigned};

pub(super) const SIGNATURE: &str = "x-twilio-signature";
pub(super) const SETTINGS: &str = "x-twilio-webhooks-signature-settings";
/// Shared keys are written `webhooks_sharedkey_…:SECRET`.
const SHARED_KEY: &[u8] = b"webhooks_sharedkey_";

struct Settings<'r> {
    key: Option<&'r str>,
    hash: Hash,
}

pub(super) fn check(request: &Request<'_>, secrets: &[Secret]) -> Result<usize, Reject> {
    let signature = text(request.headers.single(SIGNATURE)?)?.ok_or(Reject::SignatureMissing)?;
    let signature = Encoding::Base64.decode(signature).ok_or(Reject::SignatureMalformed)?;
    let settings = settings(request)?;
    check_body_hash(request)?;
    let mut refused = Reject::SecretUnusable;
    for (index, secret) in secrets.iter().enumerate() {
        let shared = secret.bytes().starts_with(SHARED_KEY);
        let form = if shared { KeyForm::Named } else { KeyForm::Text };
        let Ok(key) = form.of(secret) else { continue };
        if key.name.as_deref() != settings.key {
            continue;
        }
        refused = Reject::SignatureMismatch;
        for url in spellings(request.url) {
            let request = Request { url: &url, ..*request };
            let message = message(&[Part::Url, Part::FormPairs("")], &request, "", &key)?;
            if bool::from(signature.ct_eq(&settings.hash.hmac(&key.bytes, &message))) {
                return Ok(index);
            }
        }
    }
    Err(refused)
}

fn settings<'r>(request: &Request<'r>) -> Result<Settings<'r>, Reject> {
    let mut settings = Settings { key: None, hash: Hash::Sha1 };
    let Some(listed) = text(request.headers.single(SETTINGS)?)? else { return Ok(settings) };
    for (name, value) in listed.split(',').filter_map(|pair| pair.trim().split_once('=')) {
        match name {
            "key" => settings.key = Some(value),
            "algorithm" if value.eq_ignore_ascii_case("HMAC_SHA1") => settings.hash = Hash::Sha1,
            "algorithm" if value.eq_ignore_ascii_case("HMAC_SHA256") => settings.hash = Hash::Sha256,
            "algorithm" => return Err(Reject::SignatureMalformed),
            _ => {}
        }
    }
    if settings.key.is_none() { Err(Reject::SignatureMalformed) } else { Ok(settings) }
}

/// What is no form is signed by its hash in the URL.
fn check_body_hash(request: &Request<'_>) -> Result<(), Reject> {
    if request.body.is_empty() || is_form(request.headers) {
        return Ok(());
    }
    let claimed = at(&Locate::Query("bodySHA256"), request)?.ok_or(Reject::SignatureMissing)?;
    let hash = Hash::Sha256.digest(&[request.body.into()]);
    let is_right = Encoding::Hex.decode(&claimed).is_some_and(|claimed| claimed.ct_eq(&hash).into());
    if is_right { Ok(()) } else { Err(Reject::SignatureMismatch) }
}

/// The URL as received first, then as Twilio may have known it.
fn spellings(url: &str) -> Vec<String> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let queries = [
        query.to_owned(),
        query.replace('\'', "%27").replace(' ', "%20").replace('"', "%22"),
        query.replace('+', "%20"),
    ];
    let mut spellings = vec![url.to_owned()];
    for base in ports(base) {
        for query in &queries {
            let spelling = if url.contains('?') { format!("{base}?{query}") } else { base.clone() };
            if !spellings.contains(&spelling) {
                spellings.push(spelling);
            }
        }
    }
    spellings
}

/// Without a port, with the one it has, with the scheme's own.
fn ports(base: &str) -> Vec<String> {
    let Some((scheme, rest)) = base.split_once("://") else { return vec![base.to_owned()] };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host_starts = authority.rfind('@').map_or(0, |index| index + 1);
    let colon = authority[host_starts..].rfind(':').map(|index| host_starts + index);
    match colon {
        Some(colon) => vec![base.to_owned(), format!("{scheme}://{}{path}", &authority[..colon])],
        None => {
            let port = if scheme == "http" { 80 } else { 443 };
            vec![base.to_owned(), format!("{scheme}://{authority}:{port}{path}")]
        }
    }
}

pub(super) fn sign(unsigned: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
    let request = unsigned.request();
    check_body_hash(&request).map_err(|_| SignError::NotSignable)?;
    let shared = secret.bytes().starts_with(SHARED_KEY);
    let key = if shared { KeyForm::Named } else { KeyForm::Text }.of(secret)?;
    let hash = if shared { Hash::Sha256 } else { Hash::Sha1 };
    let message =
        message(&[Part::Url, Part::FormPairs("")], &request, "", &key).map_err(|_| SignError::SignedHeaderMissing)?;
    let mut headers = Headers::new();
    headers.push(SIGNATURE, Encoding::Base64.encode(&hash.hmac(&key.bytes, &message)));
    if let Some(name) = &key.name {
        headers.push(SETTINGS, format!("key={name},algorithm=HMAC_SHA256"));
    }
    Ok(headers)
}
