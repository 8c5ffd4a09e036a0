//! Rescue: takes the claims of workers that fell silent, and puts their jobs back.
//!
//! Any gateway may do it. The token is cleared under the row's lock, so a worker that comes back finds its claim gone;
//! a row that is being settled at this moment is skipped, and the settle wins.

use std::time::Duration;

use sqlx::{Connection, PgConnection, PgPool, Postgres, Transaction};
use uuid::Uuid;

use super::answered::{answered, patience};
use super::claim::key_of;
use super::record;
use crate::database::{begin, single};
use crate::job;
use crate::store::jobs::{self, Lost, Waiting};
use crate::store::lanes::{self, Advance, Release};
use crate::store::{LaneKey, Token, dead, workers};
use crate::telemetry;

/// Claims taken back in one transaction.
const BATCH: i64 = 100;

/// Looks for silent workers once; how many claims were taken back.
pub(crate) async fn rescue(pool: &PgPool, lease: Duration, rescues: u32) -> sqlx::Result<usize> {
    let silent = async { workers::silent(&mut *single(pool).await?, lease).await };
    let silent = answered(patience(lease), silent).await?;
    let mut taken = 0;
    for worker in silent {
        // One worker's trouble is not another's: whoever comes after it is rescued all the same.
        match rescue_all_from(pool, worker, lease, rescues).await {
            Ok(now) => taken += now,
            Err(error) => tracing::warn!(%error, %worker, "worker.rescue_failed"),
        }
    }
    if taken > 0 {
        metrics::counter!(telemetry::RESCUED).increment(taken as u64);
        tracing::warn!(claims = taken, "worker.rescued: claims of silent workers were taken back");
    }
    Ok(taken)
}

async fn rescue_all_from(pool: &PgPool, worker: Uuid, lease: Duration, rescues: u32) -> sqlx::Result<usize> {
    let mut taken = 0;
    loop {
        let now = answered(patience(lease), rescue_from(pool, worker, rescues)).await?;
        if now == 0 {
            break;
        }
        taken += now;
    }
    let buried = async {
        let mut conn = single(pool).await?;
        workers::bury(&mut conn, worker, lease).await?;
        conn.done().await
    };
    answered(patience(lease), buried).await?;
    Ok(taken)
}

/// Transaction: a claim's end, its job's return and its attempt's record commit together. Each claim has a savepoint of
/// its own: a row that can't be moved keeps only itself from being rescued.
async fn rescue_from(pool: &PgPool, worker: Uuid, rescues: u32) -> sqlx::Result<usize> {
    let mut tx = begin(pool).await?;
    let mut taken = 0;
    for orphan in lanes::lock_orphans(&mut tx, worker, BATCH).await? {
        if let Some(lane) = key_of(&orphan.lane) {
            let mut savepoint = tx.begin().await?;
            let token = Token { worker, n: orphan.claim };
            let moved = take_lane(&mut savepoint, &lane, token, rescues).await;
            taken += usize::from(kept(savepoint, moved).await?);
        }
    }
    for lost in jobs::lock_orphans(&mut tx, worker, BATCH).await? {
        let mut savepoint = tx.begin().await?;
        let token = lost.claim.map(|n| Token { worker, n });
        let moved = put_back(&mut savepoint, &lost, token, worker, rescues).await;
        taken += usize::from(kept(savepoint, moved).await?);
    }
    tx.commit().await?;
    Ok(taken)
}

/// Whether the claim was taken back.
async fn kept(savepoint: Transaction<'_, Postgres>, moved: sqlx::Result<()>) -> sqlx::Result<bool> {
    match moved {
        Ok(()) => savepoint.commit().await.map(|()| true),
        Err(error) if error.as_database_error().is_some() => {
            tracing::error!(%error, "claim.not_rescued");
            savepoint.rollback().await.map(|()| false)
        }
        Err(error) => Err(error),
    }
}

async fn take_lane(tx: &mut PgConnection, lane: &LaneKey, token: Token, rescues: u32) -> sqlx::Result<()> {
    let lost = jobs::running_in(&mut *tx, lane).await?;
    let dies = lost.as_ref().is_some_and(|lost| verdict(lost, rescues).is_err());
    // Whoever rescues may not contain the handler: its row says whether the lane stops at a dead head.
    let halts = dies && lanes::halts(&mut *tx, lane).await?;
    let step = Advance {
        left: i32::from(dies),
        ended_seq: lost.as_ref().filter(|_| dies).and_then(|lost| lost.seq),
        release: Some(if halts { Release::Halted } else { Release::Now }),
        ..Advance::default()
    };
    let advanced = lanes::advance(&mut *tx, lane, token, step).await?;
    if let Some(lost) = lost {
        put_back(&mut *tx, &lost, None, token.worker, rescues).await?;
    }
    // This end counts like any other: whoever stepped aside may look again.
    if dies && advanced.is_some_and(|lane| lane.snoozed > 0) {
        lanes::clear_snoozed(&mut *tx, lane).await?;
        jobs::end_snoozes(tx, lane).await?;
    }
    Ok(())
}

fn verdict(lost: &Lost, rescues: u32) -> Result<(), job::Death> {
    job::decide_rescue(lost.rescues.unsigned_abs(), rescues)
}

async fn put_back(
    tx: &mut PgConnection,
    lost: &Lost,
    token: Option<Token>,
    worker: Uuid,
    rescues: u32,
) -> sqlx::Result<()> {
    const TEXT: &str = "its worker fell silent";
    match verdict(lost, rescues) {
        Ok(()) => {
            jobs::put_back(&mut *tx, lost.key(), token, Waiting::Rescued).await?;
        }
        Err(death) => {
            if let Some(buried) = jobs::remove(&mut *tx, lost.key(), token).await? {
                dead::insert(&mut *tx, &buried, lost.key(), death, Some(TEXT)).await?;
            }
        }
    }
    record::record(tx, &record::lost(lost, worker, TEXT)).await
}
