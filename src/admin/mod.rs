//! The operator listener: a JSON API, metrics and health. Described for its users in docs/API.md.
//!
//! Promised: `GET` changes nothing (reads run in read-only transactions), a search can't hurt ingest (bounded rows,
//! a statement timeout), secrets and signatures are never shown, errors are problem documents that say what to do.

mod auth;
mod breakers;
mod cursor;
mod dead;
mod declared;
mod deliveries;
mod error;
mod handlers;
mod health;
mod jobs;
mod lanes;
mod masking;
mod parameters;
mod pauses;
mod reading;
mod refused;
mod replay;
mod sampler;
mod sources;
mod work;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use metrics_exporter_prometheus::PrometheusHandle;
use sqlx::PgPool;

pub use auth::{OperatorToken, Role};
pub use sampler::sample_forever;
pub use sources::Configured;

pub use crate::receive::refusals::Refusals;
use error::ApiError;

/// What the operator listener works with.
pub struct Operator {
    /// Its own small pool, so that the dashboard never waits for ingest or makes it wait.
    pub pool: PgPool,
    /// Who may come in. Empty: everyone is admin, which the configuration allows on loopback only.
    pub tokens: Vec<OperatorToken>,
    /// What `/metrics` renders.
    pub metrics: PrometheusHandle,
    /// What this process refused.
    pub refusals: Arc<Refusals>,
    /// How long a worker may be silent.
    pub lease: Duration,
    /// Whether readiness needs a live worker.
    pub expects_worker: bool,
    /// How ingest makes a receipt's key of a provider's dedup key.
    pub receipt_key: fn(&str) -> [u8; 16],
    /// What this process is configured to receive.
    pub configured: Configured,
    /// Called when an operator queued, paused or freed work, so that it need not wait for a worker's poll.
    pub work_queued: Box<dyn Fn() + Send + Sync>,
}

/// Without tokens and pool internals.
impl std::fmt::Debug for Operator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operator").field("tokens", &self.tokens.len()).finish_non_exhaustive()
    }
}

/// Every route of the operator listener.
pub fn router(operator: Arc<Operator>) -> Router {
    let api = Router::new()
        .route("/deliveries", get(deliveries::list))
        .route("/deliveries/{id}", get(deliveries::show))
        .route("/deliveries/{id}/body", get(deliveries::body))
        .route("/deliveries/{id}/jobs", get(work::jobs))
        .route("/deliveries/{id}/attempts", get(work::attempts))
        .route("/deliveries/{id}/replay", post(replay::one))
        .route("/conflicts", get(deliveries::conflicts))
        .route("/dead", get(dead::list))
        .route("/handlers", get(declared::handlers))
        .route("/handlers/{name}/retire", post(handlers::retire))
        .route("/handlers/{name}/redrive", post(handlers::redrive))
        .route("/jobs", get(jobs::list))
        .route("/jobs/cancel", post(jobs::cancel))
        .route("/pauses", get(pauses::list))
        .route("/pause", post(pauses::pause))
        .route("/resume", post(pauses::resume))
        .route("/sources", get(sources::list))
        .route("/sources/{name}", get(sources::show))
        .route("/sources/{name}/pair", post(sources::pair))
        .route("/sources/{name}/forget", post(sources::forget))
        .route("/breakers", get(breakers::list))
        .route("/breakers/open", post(breakers::open))
        .route("/breakers/close", post(breakers::close))
        .route("/lanes", get(lanes::list))
        .route("/lanes/{id}", get(lanes::show))
        .route("/lanes/{id}/{act}", post(lanes::act))
        .route("/workers", get(declared::workers))
        .route("/refusals", get(refused::list))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method);
    let tokens_only = Router::new()
        .nest("/api/v1", api)
        .route("/metrics", get(health::metrics))
        .layer(from_fn_with_state(operator.clone(), auth::identify));
    Router::new()
        .merge(tokens_only)
        .route("/", get(health::index))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(64 * 1024))
        .layer(from_fn_with_state(operator.clone(), auth::refuse_other_sites))
        .with_state(operator)
}

async fn unknown_path() -> ApiError {
    ApiError::NotFound("there is nothing at this path")
}

async fn wrong_method() -> ApiError {
    ApiError::WrongMethod
}
