//! `POST /handlers/{name}/retire` and `/redrive`; `crate::steer` does it and writes the audit lines.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use http::Uri;
use serde::{Deserialize, Serialize};

use super::Operator;
use super::auth::MayOperate;
use super::error::ApiError;
use super::parameters::Parameters;
use crate::steer::{self, Redriven, Retired};

#[derive(Debug, Serialize)]
pub(super) struct Retirement {
    handler: String,
    /// Whether it was not retired before.
    changed: bool,
    cancelled: i64,
    /// Jobs that run, and end by themselves.
    running: i64,
    /// Whether to ask again.
    more: bool,
}

pub(super) async fn retire(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    Path(name): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Retirement>, ApiError> {
    Parameters::of(&uri, &[])?;
    if !matches!(body.trim_ascii(), b"" | b"{}") {
        return Err(ApiError::Invalid("a retirement takes no body, or {}".to_owned()));
    }
    let Retired { changed, jobs } = steer::retire(&operator.pool, &name, &caller.name).await?;
    Ok(Json(Retirement { handler: name, changed, cancelled: jobs.cancelled, running: jobs.running, more: jobs.more }))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    to: String,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Handover {
    from: String,
    to: String,
    dry_run: bool,
    /// Jobs of the old handler that ended; on a dry run those that are looked at.
    moved: i64,
    /// Jobs of the new handler that were made.
    made: i64,
    /// Jobs that stay: their event type is none that the new handler takes, or their payload is gone.
    left: i64,
    /// Jobs of the old handler that run, and stay.
    running: i64,
    /// Whether to ask again.
    more: bool,
}

pub(super) async fn redrive(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    Path(name): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Handover>, ApiError> {
    Parameters::of(&uri, &[])?;
    let Asked { to, dry_run } = serde_json::from_slice(&body).map_err(|error| {
        ApiError::Invalid(format!("the body must be JSON such as {{\"to\": \"billing-2\"}}: {error}"))
    })?;
    let Redriven { moved, made, left, running, more } =
        steer::redrive(&operator.pool, &name, &to, &caller.name, dry_run).await?;
    if made > 0 {
        (operator.work_queued)();
    }
    Ok(Json(Handover { from: name, to, dry_run, moved, made, left, running, more }))
}
