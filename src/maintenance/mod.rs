//! What keeps itself in order: partitions ahead, claims of silent workers, counters, and what is past its time.
//!
//! Any number of gateways may run it; every step is safe twice, and none makes ingest wait.

mod audit;
mod handlers;
pub(crate) mod partitions;
mod retention;

use std::time::Duration;

use sqlx::PgPool;

use crate::config::Retention;
use crate::database::single;
use crate::deliver::rescue;
use crate::store::lanes;
use retention::Sweep;

/// How often the slow steps run.
const SLOW: Duration = Duration::from_secs(60);
/// How long a lane stays after its last job; one that has a mark guards as long as receipts do.
const IDLE_LANE: Duration = Duration::from_secs(3600);
/// Longer than any step may take; every statement has the server's own timeout.
const PATIENCE: Duration = Duration::from_secs(60);
const LANES_A_STEP: u64 = 1000;
/// Steps a tick at most, so that a rescue never waits long behind them.
const LANE_STEPS: u32 = 20;

/// What maintenance goes by.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) lease: Duration,
    pub(crate) rescues: u32,
    pub(crate) retention: Retention,
}

/// Runs until dropped: every step is one transaction, or safe to break off. Rescues look four times a lease, so that a
/// lost claim waits little longer than it must; what is slow runs beside them.
pub(crate) async fn run(pool: PgPool, settings: Settings) {
    tokio::join!(rescue_forever(&pool, &settings), watch_forever(&pool, &settings), keep_forever(&pool, &settings));
}

async fn rescue_forever(pool: &PgPool, settings: &Settings) {
    let mut tick = tokio::time::interval(settings.lease / 4);
    loop {
        tick.tick().await;
        noted("rescue", rescue::rescue(pool, settings.lease, settings.rescues)).await;
    }
}

/// As often as a rescue: whether a handler has a worker changes when a lease runs out.
async fn watch_forever(pool: &PgPool, settings: &Settings) {
    let mut tick = tokio::time::interval(settings.lease / 4);
    loop {
        tick.tick().await;
        noted("handlers", handlers::unserved(pool, settings.lease)).await;
    }
}

async fn keep_forever(pool: &PgPool, settings: &Settings) {
    let mut tick = tokio::time::interval(SLOW);
    let mut sweep = Sweep::default();
    loop {
        tick.tick().await;
        // Each for itself: what fails keeps nothing else from being done.
        noted("partitions", partitions::ensure(pool)).await;
        noted("lanes", purge_lanes(pool, settings.retention.receipts)).await;
        noted("audit", audit::lanes(pool)).await;
        noted("retired", crate::steer::sweep(pool)).await;
        noted("days", retention::drop_days(pool, &settings.retention)).await;
        noted("receipts", sweep.receipts(pool, settings.retention.receipts)).await;
    }
}

/// A step, and what became of it in the log. A database that fell silent ends the step, not maintenance.
async fn noted<T>(step: &str, result: impl Future<Output = sqlx::Result<T>>) {
    match tokio::time::timeout(PATIENCE, result).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(step, %error, "maintenance.failed"),
        Err(_) => tracing::warn!(step, "maintenance.failed: no answer"),
    }
}

async fn purge_lanes(pool: &PgPool, marked: Duration) -> sqlx::Result<()> {
    for _ in 0..LANE_STEPS {
        let mut conn = single(pool).await?;
        let purged = lanes::purge_idle(&mut conn, IDLE_LANE, marked, LANES_A_STEP as i64).await?;
        conn.done().await?;
        if purged < LANES_A_STEP {
            break;
        }
    }
    Ok(())
}
