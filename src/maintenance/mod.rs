//! What keeps itself in order: partitions ahead, claims of silent workers, idle lanes.
//!
//! Any number of gateways may run it; every step is safe twice.

pub(crate) mod partitions;

use std::time::Duration;

use sqlx::PgPool;

use crate::deliver::rescue;
use crate::store::lanes;

/// How often the slow steps run.
const SLOW: Duration = Duration::from_secs(60);
/// How long a lane stays after its last job.
const IDLE_LANE: Duration = Duration::from_secs(3600);
const LANES_A_STEP: i64 = 1000;

/// Runs until dropped: every step is one transaction, or safe to break off. Rescues look four times a lease, so that a lost claim waits little longer than it must.
pub(crate) async fn run(pool: PgPool, lease: Duration, rescues: u32) {
    let mut fast = tokio::time::interval(lease / 4);
    let mut slow = tokio::time::interval(SLOW);
    loop {
        let step = tokio::select! {
            _ = fast.tick() => rescue::rescue(&pool, lease, rescues).await.map(|_| ()),
            _ = slow.tick() => slow_step(&pool).await,
        };
        if let Err(error) = step {
            tracing::warn!(%error, "maintenance.failed");
        }
    }
}

async fn slow_step(pool: &PgPool) -> sqlx::Result<()> {
    partitions::ensure(pool).await?;
    let mut conn = pool.acquire().await?;
    lanes::purge_idle(&mut conn, IDLE_LANE, LANES_A_STEP).await?;
    Ok(())
}
