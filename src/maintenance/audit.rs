//! Finds lanes that would be stuck: the counter decides whether a lane is looked at, so a wrong one hides its jobs.

use sqlx::PgPool;

use crate::database::begin;
use crate::store::lanes;
use crate::telemetry;

const LANES_A_STEP: i64 = 500;

/// Sets counters right and says so: only hands in the tables, or a fault of ours, make them wrong. Transaction: one for
/// all it finds.
pub(super) async fn lanes(pool: &PgPool) -> sqlx::Result<()> {
    let mut tx = begin(pool).await?;
    let suspects = lanes::miscounted(&mut tx, LANES_A_STEP).await?;
    if suspects.is_empty() {
        return Ok(());
    }
    let repaired = lanes::recount(&mut tx, &suspects).await?;
    tx.commit().await?;
    for lane in &repaired {
        metrics::counter!(telemetry::LANES_REPAIRED).increment(1);
        tracing::error!(
            subscription = lane.subscription,
            pending = lane.pending,
            counted = lane.counted,
            "lane.repaired"
        );
    }
    Ok(())
}
