//! Cancel: unfinished jobs end, visibly, and can be redriven.

use serde_json::{Value, json};
use sqlx::PgPool;
use uuid::Uuid;

use super::{BATCH, BATCHES, SteerError, must_exist};
use crate::database::{begin, single};
use crate::store::JobKey;
use crate::store::cancel::{self as store, Epitaph, FIRST, Picked, Selection};
use crate::store::claims;
use crate::store::registry;
use crate::store::replays::audit;
use crate::telemetry;

/// Which jobs are meant: those of a delivery, or all that are queued of a handler, a source, or a handler on a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) delivery: Option<Uuid>,
    pub(crate) event: Option<i32>,
    pub(crate) run: Option<i32>,
    pub(crate) handler: Option<String>,
    pub(crate) source: Option<String>,
    /// Also those that run: their results are refused.
    pub(crate) running: bool,
}

impl Chosen {
    fn describe(&self) -> Value {
        let Self { delivery, event, run, handler, source, running } = self;
        json!({ "delivery": delivery, "event": event, "run": run, "handler": handler, "source": source, "running": running })
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Cancelled {
    /// Jobs that ended; on a dry run those that would.
    pub(crate) cancelled: i64,
    /// Those of the selection that run and were left.
    pub(crate) running: i64,
    /// Whether to ask again: this call did its share.
    pub(crate) more: bool,
}

/// Cancels what is chosen, or counts it on a dry run. Transaction: one a batch, with its audit line.
///
/// What runs is left and counted, unless `running` says otherwise: then its claim ends, and with it what the handler wrote
/// through `cx.tx()`. What it did elsewhere is done.
pub(crate) async fn cancel(
    pool: &PgPool,
    chosen: &Chosen,
    reason: Option<&str>,
    actor: &str,
    dry_run: bool,
) -> Result<Cancelled, SteerError> {
    let wanted = select(pool, chosen).await?;
    if dry_run {
        let (cancelled, running) = store::count(&mut *single(pool).await?, &wanted).await?;
        let running = if chosen.running { 0 } else { running };
        return Ok(Cancelled { cancelled, running, more: false });
    }
    let text = match reason {
        Some(reason) => format!("cancelled by {actor}: {reason}"),
        None => format!("cancelled by {actor}"),
    };
    let mut done = end(pool, &wanted, &text, actor, "jobs.cancel", &chosen.describe()).await?;
    if !chosen.running {
        done.running = store::count(&mut *single(pool).await?, &wanted).await?.1;
    }
    Ok(done)
}

async fn select(pool: &PgPool, chosen: &Chosen) -> Result<Selection, SteerError> {
    let (handler, source) = (chosen.handler.as_deref(), chosen.source.as_deref());
    let mut conn = single(pool).await?;
    must_exist(&mut conn, handler, source).await?;
    let subscriptions = match (handler, source) {
        (None, None) => None,
        _ => Some(registry::places(&mut conn, handler, source).await?.iter().map(|place| place.subscription).collect()),
    };
    let Chosen { delivery, event, run, running, .. } = *chosen;
    Ok(Selection { subscriptions, delivery, event, run, running })
}

/// Transaction: bounds the planner's settings; what is picked is looked at again once it is locked.
async fn pick(pool: &PgPool, wanted: &Selection, after: JobKey) -> sqlx::Result<Vec<Picked>> {
    let mut tx = begin(pool).await?;
    claims::plan_by_index(&mut tx).await?;
    store::pick(&mut tx, wanted, after, BATCH).await
}

/// Ends what is selected, batch by batch. Transaction: one a batch; its jobs' ends and its audit line commit together.
pub(super) async fn end(
    pool: &PgPool,
    wanted: &Selection,
    text: &str,
    actor: &str,
    action: &str,
    asked: &Value,
) -> sqlx::Result<Cancelled> {
    let mut done = Cancelled::default();
    let mut after = FIRST;
    for _ in 0..BATCHES {
        let picked = pick(pool, wanted, after).await?;
        let Some(last) = picked.last() else {
            return Ok(done);
        };
        after = last.key();
        let mut tx = begin(pool).await?;
        let keys: Vec<_> = picked.iter().map(|job| job.key()).collect();
        let lanes: Vec<&[u8]> = picked.iter().filter_map(|job| job.lane.as_deref()).collect();
        store::lock(&mut tx, &lanes).await?;
        let epitaph = Epitaph { text, redriven_to: None };
        let ended = store::cancel(&mut tx, &keys, &lanes, wanted.running, epitaph).await?.len() as i64;
        if ended > 0 {
            let detail = json!({ "asked": asked, "cancelled": ended, "text": text });
            audit(&mut tx, actor, action, "jobs", &detail).await?;
        }
        tx.commit().await?;
        metrics::counter!(telemetry::CANCELLED).increment(ended.unsigned_abs());
        done.cancelled += ended;
        if (picked.len() as i64) < BATCH {
            return Ok(done);
        }
    }
    done.more = true;
    Ok(done)
}
