//! The gauges that only the database knows, looked up every few seconds.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, gauge};
use sqlx::PgConnection;
use tokio_util::sync::CancellationToken;

use super::Operator;
use super::error::ApiError;
use crate::store::search::backlog;
use crate::store::{breakers, lanes, pauses, unserved, workers};
use crate::telemetry;

const EVERY: Duration = Duration::from_secs(15);

/// Keeps the gauges current until `shutdown`. A failed look leaves them as they were and is counted.
pub async fn sample_forever(operator: Arc<Operator>, shutdown: CancellationToken) {
    let mut sampler = Sampler::default();
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while shutdown.run_until_cancelled(tick.tick()).await.is_some() {
        if let Err(error) = sampler.sample(&operator).await {
            counter!(telemetry::SAMPLE_FAILURES).increment(1);
            tracing::warn!(error = &error as &dyn std::error::Error, "gauges were not sampled");
        }
        operator.metrics.run_upkeep();
    }
}

/// Remembers what it showed: a gauge whose rows are gone must fall to zero, not stay.
#[derive(Debug, Default)]
struct Sampler {
    shown: HashSet<Series>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Series {
    metric: &'static str,
    labels: Vec<(&'static str, String)>,
}

impl Series {
    fn set(&self, value: f64) {
        gauge!(self.metric, &self.labels).set(value);
    }
}

impl Sampler {
    async fn sample(&mut self, operator: &Operator) -> Result<(), ApiError> {
        let mut reading = operator.read().await?;
        self.show(look(&mut reading, operator.lease).await?);
        Ok(())
    }

    fn show(&mut self, now: Vec<(Series, f64)>) {
        for (series, value) in &now {
            series.set(*value);
        }
        let named: HashSet<Series> = now.into_iter().map(|(series, _)| series).collect();
        for gone in self.shown.difference(&named) {
            gone.set(0.0);
        }
        self.shown.extend(named);
    }
}

async fn look(conn: &mut PgConnection, lease: Duration) -> sqlx::Result<Vec<(Series, f64)>> {
    let mut found = Vec::new();
    let mut show = |metric, labels: &[(&'static str, &str)], value| {
        let labels = labels.iter().map(|(name, label)| (*name, (*label).to_owned())).collect();
        found.push((Series { metric, labels }, value));
    };
    let unserved = unserved::names(conn).await?;
    let mut waiting: BTreeMap<&str, i64> = BTreeMap::new();
    let rows = backlog::jobs(conn).await?;
    for row in &rows {
        if unserved.contains(&row.handler) {
            *waiting.entry(&row.handler).or_default() += row.jobs;
        }
        let handler = ("handler", row.handler.as_str());
        show(telemetry::JOBS, &[handler, ("state", &row.state)], row.jobs as f64);
        if row.state == "ready" {
            show(telemetry::OVERDUE_SECONDS, &[handler], row.overdue_seconds.max(0.0));
        }
    }
    for (handler, jobs) in waiting {
        show(telemetry::UNSERVED_JOBS, &[("handler", handler)], jobs as f64);
    }
    let pauses = pauses::list(conn).await?;
    for scope in ["all", "source", "handler", "subscription"] {
        let count = pauses.iter().filter(|pause| pause.scope == scope).count();
        show(telemetry::PAUSED, &[("scope", scope)], count as f64);
    }
    for (handler, jobs) in backlog::dead(conn).await? {
        show(telemetry::DEAD, &[("handler", &handler)], jobs as f64);
    }
    for (state, count) in lanes::count_by_state(conn).await? {
        show(telemetry::LANES, &[("state", &state)], count as f64);
    }
    for (state, count) in breakers::count_by_state(conn).await? {
        show(telemetry::BREAKERS, &[("state", &state)], count as f64);
    }
    show(telemetry::WORKERS, &[], workers::alive(conn, lease).await? as f64);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;

    use super::*;

    #[test]
    fn a_gauge_whose_rows_are_gone_falls_to_zero() {
        let recorder = PrometheusBuilder::new().build_recorder();
        let dead = |handler: &str| Series { metric: telemetry::DEAD, labels: vec![("handler", handler.to_owned())] };
        let mut sampler = Sampler::default();
        metrics::with_local_recorder(&recorder, || {
            sampler.show(vec![(dead("billing"), 3.0), (dead("mail"), 1.0)]);
            sampler.show(vec![(dead("mail"), 2.0)]);
        });
        let text = recorder.handle().render();
        assert!(text.contains("hookgate_dead{handler=\"billing\"} 0"), "{text}");
        assert!(text.contains("hookgate_dead{handler=\"mail\"} 2"), "{text}");
    }
}
