//! `/`, `/healthz`, `/readyz`, `/metrics`.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::{StatusCode, header};
use serde::Serialize;

use super::Operator;
use super::error::ApiError;
use crate::database;
use crate::store::{partitions, workers};

/// How long readiness waits for the database in all: a probe that hangs says less than one that fails.
const PATIENCE: Duration = Duration::from_secs(1);

const INDEX: &str = "hookgate operator API

GET  /healthz                           this process runs
GET  /readyz                            database, migrations, partitions, workers
GET  /metrics                           Prometheus
GET  /api/v1/deliveries                 ?source= event= state= id= after= before= limit= cursor=
GET  /api/v1/deliveries/{id}            with headers, body preview, jobs, attempts, copies
GET  /api/v1/deliveries/{id}/body       the bytes as received
GET  /api/v1/deliveries/{id}/jobs
GET  /api/v1/deliveries/{id}/attempts
POST /api/v1/deliveries/{id}/replay     {\"handlers\": [\"name\"], \"force\": true}, both optional
GET  /api/v1/conflicts                  ids that came again with another body
GET  /api/v1/dead                       jobs that ended badly
GET  /api/v1/handlers
POST /api/v1/handlers/{name}/retire     no more events; what is queued is cancelled
POST /api/v1/handlers/{name}/redrive    {\"to\": \"name\", \"dry_run\": true}
GET  /api/v1/jobs                       unfinished: ?state= handler= source= lane= due= limit= cursor=
POST /api/v1/jobs/cancel                {\"delivery\": \"id\"} or {\"handler\": \"name\", \"dry_run\": true}
GET  /api/v1/pauses
POST /api/v1/pause                      {\"all\": true}, {\"source\": \"name\"}, {\"handler\": \"name\"}, or both
POST /api/v1/resume                     the same
GET  /api/v1/sources
GET  /api/v1/workers
GET  /api/v1/breakers                   destinations that failed, and until when they are left alone
POST /api/v1/breakers/open, /close      {\"name\": \"https://app.example.com:443\"}, open also \"for\"
GET  /api/v1/refusals                   what this process refused and why

With tokens configured, /api and /metrics need 'Authorization: Bearer <token>'.
";

pub(super) async fn index() -> &'static str {
    INDEX
}

pub(super) async fn alive() -> Json<serde_json::Value> {
    Json(serde_json::json!({ "status": "ok" }))
}

pub(super) async fn metrics(State(operator): State<Arc<Operator>>) -> impl IntoResponse {
    operator.metrics.run_upkeep();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], operator.metrics.render())
}

/// One thing that readiness needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    detail: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Readiness {
    ready: bool,
    checks: Vec<Check>,
}

pub(super) async fn ready(State(operator): State<Arc<Operator>>) -> (StatusCode, Json<Readiness>) {
    let checks = match tokio::time::timeout(PATIENCE, look(&operator)).await {
        Ok(Ok(checks)) => checks,
        Ok(Err(error)) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "readiness check failed");
            vec![failed("database", "the database did not answer; the log says why")]
        }
        Err(_) => vec![failed("database", "the database did not answer within 1 s")],
    };
    let ready = checks.iter().all(|check| check.ok);
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, checks }))
}

/// Each check needs the one before: without the schema there is nothing further to ask.
async fn look(operator: &Operator) -> Result<Vec<Check>, ApiError> {
    let mut checks = Vec::new();
    let pending = database::pending(&operator.pool).await?;
    checks.push(passed("database", "answers"));
    if pending > 0 {
        checks.push(failed("migrations", &format!("{pending} missing; run `hookgate migrate`")));
        return Ok(checks);
    }
    checks.push(passed("migrations", "current"));

    let mut reading = operator.read().await?;
    let today = partitions::now(&mut reading).await?.date_naive();
    checks.push(match partitions::missing(&mut reading, today, today).await?.is_empty() {
        true => passed("partitions", "today's exist"),
        false => failed("partitions", "today's are missing; maintenance makes them, see its log"),
    });
    if operator.expects_worker {
        checks.push(match workers::alive(&mut reading, operator.lease).await? {
            0 => failed("workers", "no worker spoke within its lease; start one with the worker role"),
            alive => passed("workers", &format!("{alive} alive")),
        });
    }
    Ok(checks)
}

fn passed(name: &'static str, detail: &str) -> Check {
    Check { name, ok: true, detail: detail.to_owned() }
}

fn failed(name: &'static str, detail: &str) -> Check {
    Check { name, ok: false, detail: detail.to_owned() }
}
