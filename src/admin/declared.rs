//! `/handlers`, `/workers`: all rows at once, since there are as many as the configuration names.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;

use super::Operator;
use super::deliveries::Page;
use super::error::ApiError;
use super::parameters::Parameters;
use crate::store::search::declared::{self, HandlerRow, WorkerRow};

pub(super) async fn handlers(
    State(operator): State<Arc<Operator>>,
    uri: Uri,
) -> Result<Json<Page<HandlerRow>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let items = declared::handlers(&mut *operator.read().await?, operator.lease).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn workers(
    State(operator): State<Arc<Operator>>,
    uri: Uri,
) -> Result<Json<Page<WorkerRow>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let items = declared::workers(&mut *operator.read().await?, operator.lease).await?;
    Ok(Json(Page { items, next: None }))
}
