//! `/deliveries/{id}/jobs` and `/attempts`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use http::Uri;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Operator;
use super::deliveries::{NO_DELIVERY, Page, ROWS, delivery_id};
use super::error::ApiError;
use super::parameters::Parameters;
use crate::store::search::deliveries as search;
use crate::store::search::work::{self, AttemptRow, JobRow};

pub(super) async fn jobs(
    State(operator): State<Arc<Operator>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Json<Page<JobRow>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let id = delivery_id(&id)?;
    let mut reading = operator.read().await?;
    must_exist(&mut reading, id).await?;
    let items = work::jobs(&mut reading, id, ROWS).await?;
    Ok(Json(Page { items, next: None }))
}

pub(super) async fn attempts(
    State(operator): State<Arc<Operator>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Json<Page<AttemptRow>>, ApiError> {
    Parameters::of(&uri, &[])?;
    let id = delivery_id(&id)?;
    let mut reading = operator.read().await?;
    must_exist(&mut reading, id).await?;
    let items = work::attempts(&mut reading, id, ROWS).await?;
    Ok(Json(Page { items, next: None }))
}

/// Tells a delivery without work from one that is not there.
async fn must_exist(conn: &mut PgConnection, id: Uuid) -> Result<(), ApiError> {
    if search::exists(conn, id).await? { Ok(()) } else { Err(NO_DELIVERY) }
}
