//! `/breakers`: which destinations and dependencies are left alone, and an operator's word on it.

use std::sync::Arc;
use std::time::Duration;

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
use crate::breaker::orders;
use crate::config::parse_duration;
use crate::store::search::Stamp;
use crate::store::search::breakers::{self, BreakerRow};

/// How long one is open when nobody says.
const OPEN: Duration = Duration::from_secs(600);
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30 * 86_400);

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<BreakerRow>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let items = breakers::all(&mut *operator.read().await?).await?;
    Ok(Json(Page { items, next: None }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    name: String,
    r#for: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Answer {
    name: String,
    state: &'static str,
    open_until: Option<Stamp>,
}

/// Leaves it alone from now on, for a while.
pub(super) async fn open(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Answer>, ApiError> {
    Parameters::of(&uri, &[])?;
    let asked = parse(&body)?;
    let length = length(asked.r#for.as_deref())?;
    let open_until = orders::open(&operator.pool, &asked.name, length, &caller.name).await?.map(Stamp);
    Ok(Json(Answer { name: asked.name, state: "open", open_until }))
}

/// Calls it again.
pub(super) async fn close(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Answer>, ApiError> {
    Parameters::of(&uri, &[])?;
    let asked = parse(&body)?;
    if asked.r#for.is_some() {
        return Err(ApiError::Invalid(
            "a closed breaker stays closed until something fails: leave `for` out".to_owned(),
        ));
    }
    if !orders::close(&operator.pool, &asked.name, &caller.name).await? {
        return Err(ApiError::NotFound("there is no such breaker; GET /api/v1/breakers lists them"));
    }
    (operator.work_queued)();
    Ok(Json(Answer { name: asked.name, state: "closed", open_until: None }))
}

fn parse(body: &[u8]) -> Result<Asked, ApiError> {
    let asked: Asked = serde_json::from_slice(body).map_err(|error| {
        ApiError::Invalid(format!(
            "the body must be JSON such as {{\"name\": \"https://app.example.com:443\"}}: {error}"
        ))
    })?;
    if asked.name.is_empty() || asked.name.len() > 255 || asked.name.contains('\0') {
        return Err(ApiError::Invalid("a breaker's `name` has 1 to 255 bytes, none of them zero".to_owned()));
    }
    Ok(asked)
}

fn length(text: Option<&str>) -> Result<Duration, ApiError> {
    let length = text.map_or(Ok(OPEN), parse_duration).map_err(ApiError::Invalid)?;
    if (SHORTEST..=LONGEST).contains(&length) {
        return Ok(length);
    }
    let given = text.unwrap_or_default();
    Err(ApiError::Invalid(format!("a breaker is opened for 1s to 30d, and `{given}` is not between them")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breaker_is_opened_for_a_while_and_by_a_name() {
        assert_eq!(length(None).ok(), Some(OPEN));
        assert_eq!(length(Some("90s")).ok(), Some(Duration::from_secs(90)));
        for bad in ["0s", "31d", "soon"] {
            assert!(length(Some(bad)).is_err(), "{bad}");
        }
        assert!(parse(br#"{"name": "ledger", "for": "5m"}"#).is_ok());
        for bad in [r#"{}"#, r#"{"name": ""}"#, r#"{"name": "a", "until": "1h"}"#, "ledger", r#"{"name": "a\u0000b"}"#]
        {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
