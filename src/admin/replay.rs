//! `POST /deliveries/{id}/replay`: who asks, for what; `crate::replay` does it and writes the audit line.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use http::{StatusCode, Uri};
use serde::{Deserialize, Serialize};

use super::Operator;
use super::auth::MayOperate;
use super::deliveries::{NO_DELIVERY, delivery_id};
use super::error::ApiError;
use super::parameters::Parameters;
use crate::replay::{self, ReplayError, Replayed};

/// The body; `{}` or none runs what is not done.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    handlers: Option<Vec<String>>,
    #[serde(default)]
    force: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct Answer {
    /// The number of the replay, if it made new jobs.
    run: Option<i32>,
    /// Handlers whose job was made anew.
    queued: Vec<String>,
    /// Handlers whose dead job was put back.
    redriven: Vec<String>,
    /// Handlers whose waiting job was made due.
    hastened: Vec<String>,
    skipped: Vec<Skipped>,
}

#[derive(Debug, Serialize)]
struct Skipped {
    handler: String,
    why: &'static str,
}

pub(super) async fn one(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    Path(id): Path<String>,
    uri: Uri,
    body: Bytes,
) -> Result<(StatusCode, Json<Answer>), ApiError> {
    Parameters::of(&uri, &[])?;
    let id = delivery_id(&id)?;
    let Asked { handlers, force } = parse(&body)?;
    let request = replay::Request { handlers, force };
    let done = replay::one(&operator.pool, id, &request, &caller.name).await.map_err(explain)?;
    (operator.work_queued)();
    let Replayed { run, queued, redriven, hastened, skipped } = done;
    let skipped = skipped.into_iter().map(|(handler, why)| Skipped { handler, why }).collect();
    Ok((StatusCode::ACCEPTED, Json(Answer { run, queued, redriven, hastened, skipped })))
}

fn parse(body: &[u8]) -> Result<Asked, ApiError> {
    if body.trim_ascii().is_empty() {
        return Ok(Asked::default());
    }
    serde_json::from_slice(body).map_err(|error| {
        ApiError::Invalid(format!(
            "the body must be JSON such as {{\"handlers\": [\"billing\"], \"force\": true}}, both optional: {error}"
        ))
    })
}

fn explain(error: ReplayError) -> ApiError {
    match error {
        ReplayError::NotFound => NO_DELIVERY,
        ReplayError::UnknownHandler(name) => ApiError::Invalid(format!(
            "no handler '{}' subscribes to this delivery's source; GET /api/v1/handlers lists them",
            name.escape_debug()
        )),
        ReplayError::Database(error) => ApiError::Database(error),
    }
}
