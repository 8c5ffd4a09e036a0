//! Lets go of what is past its time: whole days of payloads, then the receipts that guarded them.
//!
//! Promise: nothing that unfinished work needs is dropped, and neither ingest nor a reader waits for it. Several gateways
//! may do it at once: who comes second finds it done, or leaves it to the first.

use std::ops::Range;
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use sqlx::PgPool;

use crate::config::{Retention, RetentionClass};
use crate::database::single;
use crate::store::expired::{self, Day, Hold};
use crate::store::partitions::{self, first_id_at};
use crate::store::receipts;

/// Payloads first: once they are gone nothing can be queued for this day any more.
const PARENTS: [&str; 3] = ["deliveries", "copies", "attempts"];
const DEAD_A_STEP: i64 = 1000;

/// What became of a day past its horizon.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Dropped,
    /// Unfinished work points into it.
    Kept,
}

/// Drops every day past its horizon that nothing points into. One statement each, outside transactions.
pub(crate) async fn drop_days(pool: &PgPool, retention: &Retention) -> sqlx::Result<()> {
    let now = partitions::now(&mut *single(pool).await?).await?;
    for class in RetentionClass::ALL {
        let horizon = TimeDelta::from_std(retention.of(class)).unwrap_or(TimeDelta::MAX);
        let Some(end) = now.checked_sub_signed(horizon) else { continue };
        for day in expired::days(&mut *single(pool).await?, class.as_str(), end).await? {
            match let_go(pool, &day).await {
                Ok(Fate::Dropped) => tracing::info!(class = day.class, day = %day.day, "retention.dropped"),
                Ok(Fate::Kept) => {
                    tracing::warn!(class = day.class, day = %day.day, "retention.kept_for_unfinished_work")
                }
                // Another gateway is at it, or a reader of that day holds it: there is a next time.
                Err(error) => tracing::debug!(class = day.class, day = %day.day, %error, "retention.left"),
            }
        }
    }
    Ok(())
}

async fn let_go(pool: &PgPool, day: &Day) -> sqlx::Result<Fate> {
    if let Some(hold) = hold(pool, day, PARENTS[0]).await? {
        if hold == Hold::Attached && is_wanted(pool, day).await? {
            return Ok(Fate::Kept);
        }
        day.detach(&mut *pool.acquire().await?, PARENTS[0], hold).await?;
        // A replay may have read its delivery just before, and queued it: detaching waited for its commit.
        if is_wanted(pool, day).await? {
            day.attach(&mut *pool.acquire().await?, PARENTS[0]).await?;
            return Ok(Fate::Kept);
        }
        day.drop(&mut *pool.acquire().await?, PARENTS[0]).await?;
    }
    // A dead job without its payload can't be run again.
    while bury(pool, day).await? == DEAD_A_STEP as u64 {}
    while forget_answers(pool, day).await? == DEAD_A_STEP as u64 {}
    for parent in &PARENTS[1..] {
        if let Some(hold) = hold(pool, day, parent).await? {
            day.detach(&mut *pool.acquire().await?, parent, hold).await?;
            day.drop(&mut *pool.acquire().await?, parent).await?;
        }
    }
    Ok(Fate::Dropped)
}

async fn hold(pool: &PgPool, day: &Day, parent: &str) -> sqlx::Result<Option<Hold>> {
    day.hold(&mut *single(pool).await?, parent).await
}

async fn is_wanted(pool: &PgPool, day: &Day) -> sqlx::Result<bool> {
    day.is_wanted(&mut *single(pool).await?).await
}

async fn forget_answers(pool: &PgPool, day: &Day) -> sqlx::Result<u64> {
    let mut conn = single(pool).await?;
    let forgotten = day.forget_answers(&mut conn, DEAD_A_STEP).await?;
    conn.done().await?;
    Ok(forgotten)
}

async fn bury(pool: &PgPool, day: &Day) -> sqlx::Result<u64> {
    let mut conn = single(pool).await?;
    let buried = day.bury(&mut conn, DEAD_A_STEP).await?;
    conn.done().await?;
    Ok(buried)
}

/// Walks through the receipts' heap, a stretch of pages at a time, and starts anew at its end: an index on their time
/// would cost every ingest what this saves.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    page: i64,
}

const PAGES_A_STEP: i64 = 1000;
/// How long one tick may sweep.
const SWEEP: Duration = Duration::from_secs(2);

impl Sweep {
    /// Removes receipts older than `horizon`, and the conflicts noted under their keys; how many. Transaction: one a
    /// stretch. Stops at the heap's end, or after a while.
    pub(crate) async fn receipts(&mut self, pool: &PgPool, horizon: Duration) -> sqlx::Result<u64> {
        let horizon = TimeDelta::from_std(horizon).unwrap_or(TimeDelta::MAX);
        let Some(end) = partitions::now(&mut *single(pool).await?).await?.checked_sub_signed(horizon) else {
            return Ok(0);
        };
        let (started, mut gone) = (Instant::now(), 0);
        let pages = receipts::pages(&mut *single(pool).await?).await?;
        while self.page < pages && started.elapsed() < SWEEP {
            let stretch: Range<i64> = self.page..self.page + PAGES_A_STEP;
            self.page = stretch.end;
            let mut conn = single(pool).await?;
            gone += receipts::purge(&mut conn, stretch, first_id_at(end)).await?;
            conn.done().await?;
        }
        if self.page >= pages {
            self.page = 0;
        }
        Ok(gone)
    }
}
