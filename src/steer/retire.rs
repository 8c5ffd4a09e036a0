//! Retire: a handler gets no more events, and what is queued for it ends.

use serde_json::json;
use sqlx::PgPool;

use super::cancel::{Cancelled, end};
use super::{SteerError, must_exist};
use crate::database::{begin, single};
use crate::store::cancel::{Selection, count};
use crate::store::registry;
use crate::store::replays::audit;
use crate::store::unserved;

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Retired {
    /// Whether it was not retired before.
    pub(crate) changed: bool,
    pub(crate) jobs: Cancelled,
}

/// Retires a handler, then cancels what is queued for it. Transaction: the retirement, the generation it raises and the
/// audit line commit together; then one a batch of jobs.
///
/// The registry's lock waits for recorders and replays that planned with the handler, so what they queue is there to be
/// cancelled. What runs may end; if it fails, [`sweep`] ends it.
pub(crate) async fn retire(pool: &PgPool, handler: &str, actor: &str) -> Result<Retired, SteerError> {
    let mut tx = begin(pool).await?;
    must_exist(&mut tx, Some(handler), None).await?;
    registry::lock(&mut tx).await?;
    let changed = registry::retire(&mut tx, handler).await?;
    if changed {
        registry::raise(&mut tx).await?;
        audit(&mut tx, actor, "handler.retire", handler, &json!({})).await?;
    }
    tx.commit().await?;
    Ok(Retired { changed, jobs: end_all(pool, handler, actor).await? })
}

/// Cancels what came to be queued for retired handlers after all: a run that failed, say.
pub(crate) async fn sweep(pool: &PgPool) -> sqlx::Result<()> {
    let handlers = unserved::retired_with_jobs(&mut *single(pool).await?).await?;
    for handler in handlers {
        end_all(pool, &handler, "maintenance").await?;
    }
    Ok(())
}

async fn end_all(pool: &PgPool, handler: &str, actor: &str) -> sqlx::Result<Cancelled> {
    let places = registry::places(&mut *single(pool).await?, Some(handler), None).await?;
    let subscriptions = Some(places.iter().map(|place| place.subscription).collect());
    let wanted = Selection { subscriptions, ..Selection::default() };
    let asked = json!({ "handler": handler });
    let mut done = end(pool, &wanted, "its handler was retired", actor, "jobs.cancel", &asked).await?;
    done.running = count(&mut *single(pool).await?, &wanted).await?.1;
    Ok(done)
}
