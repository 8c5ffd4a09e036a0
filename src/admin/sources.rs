//! `/sources`: what is configured here and what was paired, the window for pairing, and forgetting a secret.
//!
//! No answer holds a secret, sealed or not.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use hookgate_providers::{Coverage, MAX_SECRETS, Provider};
use http::Uri;
use serde::{Deserialize, Serialize};

use super::Operator;
use super::auth::MayOperate;
use super::deliveries::Page;
use super::error::ApiError;
use super::parameters::Parameters;
use crate::config::{Config, parse_duration};
use crate::receive::window;
use crate::sealing::SealingKeys;
use crate::store::search::Stamp;
use crate::store::search::declared::{self, SourceRow};
use crate::store::search::pairing::{self, SecretRow, WindowRow};

/// How long a window is open when nobody says.
const WINDOW: Duration = Duration::from_secs(600);
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(86_400);

const NO_SOURCE: ApiError = ApiError::NotFound("there is no such source");

/// What this process's configuration says of sources, and the keys it seals with.
#[derive(Debug, Default)]
pub struct Configured {
    sources: BTreeMap<String, ConfiguredSource>,
    sealing: SealingKeys,
}

#[derive(Debug)]
struct ConfiguredSource {
    secrets: usize,
    provider: Provider,
}

impl Configured {
    pub(crate) fn of(config: &Config) -> Self {
        let sources = config.sources.iter().map(|(name, source)| {
            (name.to_string(), ConfiguredSource { secrets: source.secrets.len(), provider: source.provider })
        });
        Self { sources: sources.collect(), sealing: config.secrets.keys.clone() }
    }

    /// The provider's rules: with what the source says differently, where it is configured here.
    fn provider(&self, source: &str, provider: &str) -> Option<Provider> {
        let here = self.sources.get(source).map(|source| source.provider);
        here.or_else(|| hookgate_providers::find(provider).copied())
    }
}

/// A source as it is shown.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    row: SourceRow,
    /// How many secrets the configuration of the process that answers has for it; null where it has no such source.
    configured_secrets: Option<usize>,
    /// Whether its provider sends the secret in a handshake.
    offers_secrets: bool,
    /// What of a request the signature protects; null for a provider this release does not know.
    signed: Option<Signed>,
}

#[derive(Debug, Serialize)]
struct Signed {
    body: bool,
    id: bool,
    event_type: bool,
    time: bool,
}

impl From<Coverage> for Signed {
    fn from(covers: Coverage) -> Self {
        let Coverage { body, id, event_type, time } = covers;
        Self { body, id, event_type, time }
    }
}

/// A source with its paired secrets, forgotten ones too: deliveries name them.
#[derive(Debug, Serialize)]
pub(super) struct Detail {
    #[serde(flatten)]
    source: Shown,
    window: Option<WindowRow>,
    secrets: Vec<ShownSecret>,
}

#[derive(Debug, Serialize)]
struct ShownSecret {
    #[serde(flatten)]
    row: SecretRow,
    /// The key that sealed it, to this process: `current`, `old` or `unknown`.
    sealed_with: &'static str,
}

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<Shown>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let rows = declared::sources(&mut *operator.read().await?).await?;
    let items = rows.into_iter().map(|row| shown(&operator.configured, row)).collect();
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn show(
    State(operator): State<Arc<Operator>>,
    Path(name): Path<String>,
    uri: Uri,
) -> Result<Json<Detail>, ApiError> {
    Parameters::of(&uri, &[])?;
    let mut reading = operator.read().await?;
    let row = declared::sources(&mut reading).await?.into_iter().find(|row| row.name == name).ok_or(NO_SOURCE)?;
    let window = pairing::window(&mut reading, &name).await?;
    let rows = pairing::secrets(&mut reading, &name).await?;
    let secrets = rows.into_iter().map(|row| {
        let sealed_with = operator.configured.sealing.standing(&row.key_id);
        ShownSecret { row, sealed_with }
    });
    let secrets = secrets.collect();
    Ok(Json(Detail { source: shown(&operator.configured, row), window, secrets }))
}

fn shown(configured: &Configured, row: SourceRow) -> Shown {
    let provider = configured.provider(&row.name, &row.provider);
    Shown {
        configured_secrets: configured.sources.get(&row.name).map(|source| source.secrets),
        offers_secrets: provider.is_some_and(|provider| provider.offers_secrets()),
        signed: provider.map(|provider| provider.covers.into()),
        row,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    r#for: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Opened {
    source: String,
    closes_at: Stamp,
}

/// Opens a window in which the source takes one secret.
pub(super) async fn pair(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    Path(name): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Opened>, ApiError> {
    Parameters::of(&uri, &[])?;
    let length = length(&body)?;
    let row = {
        let rows = declared::sources(&mut *operator.read().await?).await?;
        rows.into_iter().find(|row| row.name == name).ok_or(NO_SOURCE)?
    };
    let configured = &operator.configured;
    if !configured.provider(&name, &row.provider).is_some_and(|provider| provider.offers_secrets()) {
        return Err(ApiError::Invalid(format!(
            "provider \"{}\" sends no secret in a handshake: set the source's `secrets` to the value it shows",
            row.provider
        )));
    }
    if !configured.sealing.can_seal() {
        return Err(ApiError::Invalid(
            "`secrets.sealing_key` is not set, so a secret could not be kept: make a key with `openssl rand -base64 32`, refer \
             to it as { env = \"HOOKGATE_SEALING_KEY\" } there, and start every gateway with it"
                .to_owned(),
        ));
    }
    let live = configured.sources.get(&name).map_or(0, |source| source.secrets) as i64 + row.paired_secrets;
    if live >= MAX_SECRETS as i64 {
        return Err(ApiError::Invalid(format!(
            "the source has {live} live secrets and at most {MAX_SECRETS} are tried: forget the oldest first"
        )));
    }
    let closes_at = window::open(&operator.pool, &name, length, &caller.name).await?.ok_or(NO_SOURCE)?;
    Ok(Json(Opened { source: name, closes_at: Stamp(closes_at) }))
}

fn length(body: &[u8]) -> Result<Duration, ApiError> {
    let asked: Asked = match body.trim_ascii() {
        [] => Asked::default(),
        body => serde_json::from_slice(body).map_err(|error| {
            ApiError::Invalid(format!("the body must be JSON such as {{\"for\": \"10m\"}}, or nothing: {error}"))
        })?,
    };
    let Some(text) = asked.r#for else { return Ok(WINDOW) };
    let length = parse_duration(&text).map_err(ApiError::Invalid)?;
    if (SHORTEST..=LONGEST).contains(&length) {
        return Ok(length);
    }
    Err(ApiError::Invalid(format!("a window is open between 1s and 1d, and `{text}` is not between them")))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    secret: i16,
}

#[derive(Debug, Serialize)]
pub(super) struct Forgotten {
    source: String,
    secret: i16,
}

/// Wipes a paired secret.
pub(super) async fn forget(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    Path(name): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Forgotten>, ApiError> {
    Parameters::of(&uri, &[])?;
    let Named { secret } = serde_json::from_slice(&body)
        .map_err(|error| ApiError::Invalid(format!("the body must be JSON such as {{\"secret\": 100}}: {error}")))?;
    if !window::forget(&operator.pool, &name, secret, &caller.name).await? {
        return Err(ApiError::NotFound("the source has no paired secret of this number, or it is forgotten already"));
    }
    Ok(Json(Forgotten { source: name, secret }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_neither_endless_nor_over_at_once() {
        assert_eq!(length(b"").ok(), Some(WINDOW));
        assert_eq!(length(br#"{"for": "90s"}"#).ok(), Some(Duration::from_secs(90)));
        for bad in [r#"{"for": "0s"}"#, r#"{"for": "2d"}"#, r#"{"for": "soon"}"#, r#"{"until": "1h"}"#, "1h"] {
            assert!(length(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
