//! Whose keys verify a token.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::super::key_set::KeySet;
use super::super::provider_key::{Held, Stop, keys_at};
use crate::{KeyRequest, Keys, Reject, Request, Secret, SecretError, json as document};

/// Whose keys verify a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signer {
    /// The source's secrets are the keys.
    Secrets,
    /// Google, for a service account. A secret is `EMAIL` or `EMAIL AUDIENCE`, where the audience is the source's URL
    /// unless it is written, and may be followed by keys.
    Google,
    /// Plaid. A secret is `CLIENT_ID:SECRET`, with which its keys are fetched one by one, or a key (set).
    Plaid,
}

/// <https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions>
const GOOGLE_KEYS: &str = "https://www.googleapis.com/oauth2/v3/certs";
const GOOGLE: [&str; 2] = ["https://accounts.google.com", "accounts.google.com"];

impl Signer {
    /// Whether a secret means the token with these claims.
    pub(super) fn means(self, meant: &str, claims: &Map<String, Value>, request: &Request<'_>) -> bool {
        match self {
            Self::Secrets => false,
            Self::Plaid => true,
            Self::Google => {
                let (email, audience) = google(meant);
                let claim = |name: &str| claims.get(name).and_then(Value::as_str);
                !email.is_empty()
                    && claim("email") == Some(email)
                    && claim("aud") == Some(audience.unwrap_or(request.url))
                    && claims.get("email_verified") == Some(&Value::Bool(true))
            }
        }
    }

    /// Whether the claims name this signer.
    pub(super) fn issued(self, claims: &Map<String, Value>) -> bool {
        self != Self::Google || claims.get("iss").and_then(Value::as_str).is_some_and(|issuer| GOOGLE.contains(&issuer))
    }

    /// Its keys, with what a secret says.
    pub(super) fn keys(
        self,
        meant: &str,
        kid: Option<&str>,
        request: &Request<'_>,
        keys: &Keys,
    ) -> Result<KeySet, Stop> {
        match self {
            Self::Secrets => Err(Reject::SecretUnusable.into()),
            Self::Google => keys_at(KeyRequest::get(GOOGLE_KEYS).keep(Duration::from_secs(6 * 3_600)), keys),
            Self::Plaid => keys_at(plaid(meant, kid.ok_or(Reject::KeyUnknown)?, request)?, keys),
        }
    }

    pub(super) fn check_secret(self, secret: &Secret) -> Result<(), SecretError> {
        let held = Held::of(secret)?;
        if held.meant.is_empty() && held.keys.is_some() {
            return Ok(());
        }
        match self {
            Self::Google if !google(held.meant).0.contains('@') => Err(SecretError::NotPushAccount),
            Self::Plaid if credentials(held.meant).is_none() => Err(SecretError::NotCredentials),
            _ => Ok(()),
        }
    }

    /// The claims that make a token be for what a secret says.
    pub(super) fn claims(self, meant: &str, url: &str) -> Vec<(&'static str, Value)> {
        match self {
            Self::Google => {
                let (email, audience) = google(meant);
                vec![
                    ("iss", GOOGLE[0].into()),
                    ("aud", audience.unwrap_or(url).into()),
                    ("email", email.into()),
                    ("email_verified", true.into()),
                ]
            }
            Self::Secrets | Self::Plaid => Vec::new(),
        }
    }
}

fn google(meant: &str) -> (&str, Option<&str>) {
    match meant.split_once(char::is_whitespace) {
        Some((email, audience)) => (email, Some(audience.trim())),
        None => (meant, None),
    }
}

/// `CLIENT_ID:SECRET`.
pub(crate) fn credentials(meant: &str) -> Option<(&str, &str)> {
    let (id, secret) = meant.split_once(':')?;
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    (plain(id) && plain(secret)).then_some((id, secret))
}

/// Whether a key's id can stand in a request for it.
pub(crate) fn is_plain_kid(kid: &str) -> bool {
    (1..=128).contains(&kid.len())
        && kid.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// <https://plaid.com/docs/api/webhooks/webhook-verification/>
///
/// The body says which environment it comes from. Nobody has vouched for it yet, but both hosts are Plaid's, and the
/// credentials of one environment get no keys from another.
fn plaid(meant: &str, kid: &str, request: &Request<'_>) -> Result<KeyRequest, Reject> {
    let (client_id, secret) = credentials(meant).ok_or(Reject::SecretUnusable)?;
    if !is_plain_kid(kid) {
        return Err(Reject::SignatureMalformed);
    }
    let environment = document::scan(request.body, &["/environment"]).first().copied().flatten();
    let host = if environment == Some("\"sandbox\"") { "sandbox.plaid.com" } else { "production.plaid.com" };
    let body = json!({"client_id": client_id, "secret": secret, "key_id": kid}).to_string();
    Ok(KeyRequest::post(format!("https://{host}/webhook_verification_key/get"), "application/json", body))
}
