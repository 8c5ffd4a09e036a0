//! `/pauses`, `/pause`, `/resume`: handlers stop starting, receiving goes on. `crate::steer` does it and writes the audit line.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use http::Uri;
use serde::{Deserialize, Serialize};

use super::Operator;
use super::auth::MayOperate;
use super::deliveries::Page;
use super::error::ApiError;
use super::parameters::Parameters;
use crate::steer::{self, Paused};
use crate::store::pauses::{self, PauseRow, Scope};

/// The longest reason that is kept, in characters.
const REASON: usize = 500;

/// What is to be paused or resumed. Empty is refused: everything is asked for by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    all: bool,
    source: Option<String>,
    handler: Option<String>,
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// Whether this very scope was in the other state before.
    changed: bool,
    /// Every pause in force now.
    pauses: Vec<PauseRow>,
}

impl From<Paused> for Answer {
    fn from(done: Paused) -> Self {
        Self { changed: done.changed, pauses: done.pauses }
    }
}

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<PauseRow>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let items = pauses::list(&mut *operator.read().await?).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn pause(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Answer>, ApiError> {
    Parameters::of(&uri, &[])?;
    let asked = parse(&body)?;
    let reason = reason(asked.reason.as_deref())?;
    let done = steer::pause(&operator.pool, scope(&asked)?, reason, &caller.name).await?;
    // Nothing was queued, but whoever works should look: a lane that was claimed before stops with its next job.
    (operator.work_queued)();
    Ok(Json(done.into()))
}

pub(super) async fn resume(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Answer>, ApiError> {
    Parameters::of(&uri, &[])?;
    let asked = parse(&body)?;
    if asked.reason.is_some() {
        return Err(ApiError::Invalid("a resume takes no reason: leave it out".to_owned()));
    }
    let done = steer::resume(&operator.pool, scope(&asked)?, &caller.name).await?;
    (operator.work_queued)();
    Ok(Json(done.into()))
}

fn parse(body: &[u8]) -> Result<Asked, ApiError> {
    serde_json::from_slice(body).map_err(|error| {
        ApiError::Invalid(format!(
            "the body must be JSON: {{\"all\": true}}, {{\"source\": \"stripe\"}}, {{\"handler\": \"billing\"}} or both names: \
             {error}"
        ))
    })
}

fn scope(asked: &Asked) -> Result<Scope<'_>, ApiError> {
    match (asked.all, asked.source.as_deref(), asked.handler.as_deref()) {
        (true, None, None) => Ok(Scope::All),
        (false, Some(source), None) => Ok(Scope::Source(source)),
        (false, None, Some(handler)) => Ok(Scope::Handler(handler)),
        (false, Some(source), Some(handler)) => Ok(Scope::Subscription { source, handler }),
        (true, ..) => {
            Err(ApiError::Invalid("\"all\" goes without \"source\" and \"handler\": leave one out".to_owned()))
        }
        (false, None, None) => {
            Err(ApiError::Invalid("say what: {\"all\": true}, a \"source\", a \"handler\", or both names".to_owned()))
        }
    }
}

/// A reason as it can be stored and shown.
pub(super) fn reason(text: Option<&str>) -> Result<Option<&str>, ApiError> {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) if text.chars().count() > REASON || text.contains('\0') => {
            Err(ApiError::Invalid(format!("the reason must be text of at most {REASON} characters")))
        }
        reason => Ok(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_paused_only_when_it_is_asked_for_by_name() {
        let scoped =
            |body: &str| parse(body.as_bytes()).and_then(|asked| scope(&asked).map(|scope| format!("{scope:?}")));
        assert_eq!(scoped(r#"{"all": true}"#).ok().as_deref(), Some("All"));
        assert!(scoped(r#"{"source": "a", "handler": "b"}"#).is_ok_and(|scope| scope.starts_with("Subscription")));
        for bad in ["", "{}", r#"{"all": false}"#, r#"{"all": true, "source": "a"}"#, r#"{"sauce": "a"}"#] {
            assert!(scoped(bad).is_err(), "{bad}");
        }
    }
}
