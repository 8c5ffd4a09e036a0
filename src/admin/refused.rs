//! `/refusals`: what this process refused and why.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use serde::Serialize;

use super::Operator;
use super::error::ApiError;
use super::parameters::Parameters;
use crate::receive::refusals::{Count, Refusal};

#[derive(Debug, Serialize)]
pub(super) struct Refused {
    /// Since the process started.
    counts: Vec<Count>,
    /// The newest first, at most 500 are kept.
    items: Vec<Refusal>,
}

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Refused>, ApiError> {
    let parameters = Parameters::of(&uri, &["limit"])?;
    let limit = parameters.limit()? as usize;
    Ok(Json(Refused { counts: operator.refusals.counts(), items: operator.refusals.recent(limit) }))
}
