//! eBay: an ECDSA signature with SHA-1 over the body; the header is a JSON object in base64 and names the key.
//! <https://developer.ebay.com/api-docs/commerce/notification/overview.html>
//!
//! The key is fetched with a token that is fetched first. Which host both come from, the client's id says.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use super::jwt::{credentials, is_plain_kid};
use super::key_set::{KeySet, Use};
use super::message::text;
use super::provider_key::{Held, Stop, keys_at, matching};
use super::{Clock, Encoding, PublicKey};
use crate::keys::HOUR;
use crate::{Headers, KeyRequest, Keys, Reject, Request, Secret, SecretError, SignError, Unsigned};

const HEADER: &str = "x-ebay-signature";
const KIND: PublicKey = PublicKey::EcdsaP256Sha1;
/// What `sign` calls its key.
const KID: &str = "hookgate";

#[derive(Deserialize)]
struct Signature {
    alg: String,
    kid: String,
    signature: String,
    digest: String,
}

#[derive(Deserialize)]
struct Token {
    access_token: String,
}

/// The index of the secret with whose key, or with the key fetched by which, the body is authentic.
pub(super) fn check(request: &Request<'_>, secrets: &[Secret], clock: Clock, keys: &Keys) -> Result<usize, Stop> {
    let header = text(request.headers.single(HEADER)?)?.ok_or(Reject::SignatureMissing)?;
    let header = BASE64_STANDARD.decode(header).map_err(|_| Reject::SignatureMalformed)?;
    let signed: Signature = serde_json::from_slice(&header).map_err(|_| Reject::SignatureMalformed)?;
    let is_ecdsa = signed.alg == "ecdsa" && signed.digest == "SHA1" && is_plain_kid(&signed.kid);
    if !is_ecdsa {
        return Err(Reject::SignatureMalformed.into());
    }
    let signature = Encoding::Base64.decode(&signed.signature).ok_or(Reject::SignatureMalformed)?;
    let usage = Use { kind: KIND, algorithm: None, domains: &[], now: clock.now };
    matching(
        secrets,
        |_| true,
        |client| fetched(client, &signed.kid, keys),
        |kid, keys| match credentials(kid) {
            None if !kid.is_empty() && kid != signed.kid => Err(Reject::KeyUnknown),
            _ => keys.verifies(Some(&signed.kid), &usage, request.body, &signature),
        },
        Ok(()),
    )
}

/// The key of this id, or what has to be fetched before it can be.
fn fetched(client: &str, kid: &str, keys: &Keys) -> Result<KeySet, Stop> {
    let (id, secret) = credentials(client).ok_or(Reject::SecretUnusable)?;
    let host = if id.contains("-SBX-") { "api.sandbox.ebay.com" } else { "api.ebay.com" };
    let basic = Zeroizing::new(BASE64_STANDARD.encode(format!("{id}:{secret}")));
    let form = "grant_type=client_credentials&scope=https%3A%2F%2Fapi.ebay.com%2Foauth%2Fapi_scope";
    let url = format!("https://{host}/identity/v1/oauth2/token");
    // A token is good for two hours.
    let token = KeyRequest::post(url, "application/x-www-form-urlencoded", form.to_owned())
        .with("authorization", Zeroizing::new(format!("Basic {}", basic.as_str())))
        .keep(HOUR);
    let Some(answer) = keys.get(&token) else { return Err(Stop::NeedKey(Box::new(token))) };
    let Token { access_token } = serde_json::from_slice(answer).map_err(|_| Reject::KeyUnusable)?;
    let access_token = Zeroizing::new(access_token);
    let url = format!("https://{host}/commerce/notification/v1/public_key/{kid}");
    let bearer = Zeroizing::new(format!("Bearer {}", access_token.as_str()));
    Ok(keys_at(KeyRequest::get(url).with("authorization", bearer).keep(HOUR), keys)?.called(kid))
}

pub(super) fn sign(unsigned: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
    let held = Held::of(secret)?;
    let kid = if held.meant.is_empty() { KID } else { held.meant };
    let signature = held.keys.ok_or(SignError::NotSignable)?.sign(KIND, unsigned.body)?;
    let signature = Encoding::Base64.encode(&signature);
    let header = json!({"alg": "ecdsa", "kid": kid, "signature": signature, "digest": "SHA1"}).to_string();
    Ok([(HEADER, BASE64_STANDARD.encode(header))].into_iter().collect())
}

pub(super) fn check_secret(secret: &Secret) -> Result<(), SecretError> {
    if secret.verify_token().is_some() {
        return Ok(());
    }
    let held = Held::of(secret)?;
    if held.keys.is_some() || credentials(held.meant).is_some() { Ok(()) } else { Err(SecretError::NotCredentials) }
}
