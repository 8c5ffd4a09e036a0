//! `/dead`: jobs that ended badly and wait for a person.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;

use super::deliveries::Page;
use super::error::ApiError;
use super::parameters::Parameters;
use super::{Operator, cursor};
use crate::store::search::work::{self, DeadRow};

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<DeadRow>>, ApiError> {
    let parameters = Parameters::of(&uri, &["handler", "limit", "cursor"])?;
    let limit = parameters.limit()?;
    let below = parameters.get("cursor").map(cursor::job).transpose()?;
    let mut reading = operator.read().await?;
    let mut items = work::dead(&mut reading, below, parameters.get("handler"), limit + 1).await?;
    let more = items.len() as i64 > limit;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).map(|last| cursor::of_job(last.key()));
    Ok(Json(Page { items, next }))
}
