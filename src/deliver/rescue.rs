//! Rescue: takes the claims of workers that fell silent, and puts their jobs back.
//!
//! Any gateway may do it. The token is cleared under the row's lock, so a worker that comes back finds its claim gone;
//! a row that is being settled at this moment is skipped, and the settle wins.

use std::time::Duration;

use chrono::Utc;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::claim::key_of;
use crate::job;
use crate::store::attempts::{self, Attempt, Ending};
use crate::store::jobs::{self, Lost, Waiting};
use crate::store::lanes::{self, Advance, Release};
use crate::store::{LaneKey, Token, dead, workers};
use crate::telemetry;

/// Claims taken back in one transaction.
const BATCH: i64 = 100;

/// Looks for silent workers once; how many claims were taken back.
pub(crate) async fn rescue(pool: &PgPool, lease: Duration, rescues: u32) -> sqlx::Result<usize> {
    let silent = {
        let mut conn = pool.acquire().await?;
        workers::silent(&mut conn, lease).await?
    };
    let mut taken = 0;
    for worker in silent {
        loop {
            let now = rescue_from(pool, worker, rescues).await?;
            taken += now;
            if now == 0 {
                break;
            }
        }
        let mut conn = pool.acquire().await?;
        workers::bury(&mut conn, worker, lease).await?;
    }
    if taken > 0 {
        metrics::counter!(telemetry::RESCUED).increment(taken as u64);
        tracing::warn!(claims = taken, "worker.rescued: claims of silent workers were taken back");
    }
    Ok(taken)
}

/// Transaction: a claim's end, its job's return and its attempt's record commit together.
async fn rescue_from(pool: &PgPool, worker: Uuid, rescues: u32) -> sqlx::Result<usize> {
    let mut tx = pool.begin().await?;
    let lanes = lanes::lock_orphans(&mut tx, worker, BATCH).await?;
    for orphan in &lanes {
        if let Some(lane) = key_of(&orphan.lane) {
            take_lane(&mut tx, &lane, Token { worker, n: orphan.claim }, rescues).await?;
        }
    }
    let alone = jobs::lock_orphans(&mut tx, worker, BATCH).await?;
    for lost in &alone {
        let token = lost.claim.map(|n| Token { worker, n });
        put_back(&mut tx, lost, token, worker, rescues).await?;
    }
    tx.commit().await?;
    Ok(lanes.len() + alone.len())
}

async fn take_lane(tx: &mut PgConnection, lane: &LaneKey, token: Token, rescues: u32) -> sqlx::Result<()> {
    let lost = jobs::running_in(&mut *tx, lane).await?;
    let dies = lost.as_ref().is_some_and(|lost| verdict(lost, rescues).is_err());
    let step = Advance {
        left: i32::from(dies),
        ended_seq: lost.as_ref().filter(|_| dies).and_then(|lost| lost.seq),
        release: Some(Release::Now),
        ..Advance::default()
    };
    lanes::advance(&mut *tx, lane, token, step).await?;
    match lost {
        Some(lost) => put_back(tx, &lost, None, token.worker, rescues).await,
        None => Ok(()),
    }
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
    let attempt = Attempt {
        key: lost.key(),
        attempt: lost.attempt,
        seq: lost.seq,
        ending: Ending::Lost,
        started_at: lost.started_at.unwrap_or_else(Utc::now),
        status: None,
        error: Some(TEXT.to_owned()),
        worker,
        out_of_order: false,
    };
    attempts::insert(tx, &attempt).await
}
