//! Ends a claim before its work is done, so that anyone may take it up again.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};

use super::Worker;
use super::answered::answered;
use super::record;
use crate::database::{begin, single};
use crate::store::jobs::{self, Lost, Waiting};
use crate::store::lanes::{self, Advance, Release};
use crate::store::{Held, JobKey, LaneKey, Token, claims};

/// How far the work was when the claim ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Back {
    /// What was started did not run: its attempt number is taken back. Not to be tried again sooner than this.
    NotStarted(Duration),
    /// It may have run, and not to its end, through no fault of its own: the attempt counts as lost, not as a failure
    /// nor as a rescue. Says why.
    Interrupted(&'static str),
}

/// Gives a claim back. Transaction: the claim and the start it undoes end together. `false`: the claim was lost already.
pub(crate) async fn hand_back(pool: &PgPool, held: Held, token: Token, back: Back) -> sqlx::Result<bool> {
    let mut tx = begin(pool).await?;
    let given = match held {
        Held::Job(key) => job_back(&mut tx, key, token, back).await?,
        Held::Lane(lane) => lane_back(&mut tx, &lane, token, back).await?,
    };
    tx.commit().await?;
    Ok(given)
}

/// Tries once: a claim that this does not reach is a stray, which the next sweep finds.
pub(super) async fn give_back(worker: &Worker, held: Held, token: Token, back: Back) {
    if let Err(error) = answered(worker.patience(), hand_back(&worker.pool, held, token, back)).await {
        tracing::warn!(%error, "claim.hand_back_failed: tried again with the next heartbeat");
    }
}

/// Gives back what the database says this worker holds and no task of it knows of; nobody else would while the worker
/// lives. Each is fenced by its token, so one that ended meanwhile is left alone.
pub(super) async fn sweep(worker: &Worker, pool: &PgPool) -> sqlx::Result<()> {
    const WHY: &str = "its worker lost sight of it";
    let strays = {
        let mut conn = single(pool).await?;
        claims::held_beyond(&mut conn, worker.id, &worker.live.numbers()).await?
    };
    // Asked again: what was claimed between that look at the live ones and the statement is live now.
    for (held, n) in strays.into_iter().filter(|(_, n)| !worker.live.has(*n)) {
        tracing::warn!(claim = n, "claim.stray: handed back");
        let token = Token { worker: worker.id, n };
        hand_back(pool, held, token, Back::Interrupted(WHY)).await?;
        worker.wake.poke();
    }
    Ok(())
}

async fn job_back(tx: &mut PgConnection, key: JobKey, token: Token, back: Back) -> sqlx::Result<bool> {
    match back {
        Back::NotStarted(wait) => jobs::put_back(tx, key, Some(token), Waiting::NotStarted(wait)).await,
        Back::Interrupted(why) => match claims::started(&mut *tx, key, token).await? {
            Some(lost) => interrupted(tx, &lost, Some(token), token, why).await,
            None => Ok(false),
        },
    }
}

async fn lane_back(tx: &mut PgConnection, lane: &LaneKey, token: Token, back: Back) -> sqlx::Result<bool> {
    let release = match back {
        Back::NotStarted(wait) if !wait.is_zero() => Release::After(wait),
        Back::NotStarted(_) | Back::Interrupted(_) => Release::Now,
    };
    let step = Advance { release: Some(release), ..Advance::default() };
    if lanes::advance(&mut *tx, lane, token, step).await?.is_none() {
        return Ok(false);
    }
    if let Some(started) = jobs::running_in(&mut *tx, lane).await? {
        match back {
            // The lane waits, so the job need not.
            Back::NotStarted(_) => {
                jobs::put_back(tx, started.key(), None, Waiting::NotStarted(Duration::ZERO)).await?;
            }
            Back::Interrupted(why) => {
                interrupted(tx, &started, None, token, why).await?;
            }
        }
    }
    Ok(true)
}

async fn interrupted(
    tx: &mut PgConnection,
    lost: &Lost,
    fence: Option<Token>,
    token: Token,
    why: &str,
) -> sqlx::Result<bool> {
    let given = jobs::put_back(&mut *tx, lost.key(), fence, Waiting::Interrupted).await?;
    record::record(tx, &record::lost(lost, token.worker, why)).await?;
    Ok(given)
}
