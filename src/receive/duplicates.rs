//! What was not new: copies, conflicts, and redeliveries of dead work.
//!
//! Each arrival in a transaction of its own: the lock order dead → lanes → jobs holds within one arrival, and two of
//! them in one transaction would break it.

use chrono::TimeDelta;
use uuid::Uuid;

use super::record::{NotDurable, Pending, Recorded};
use super::reply::Status;
use super::write::Writer;
use crate::registry::{Plan, PlannedSource};
use crate::store::copies::Act;
use crate::store::partitions::stamped_at;
use crate::store::receipts::{ConflictNote, Receipt};
use crate::store::record::NewReceipt;
use crate::store::{copies, dead, deliveries, jobs, lanes, receipts, replays};
use crate::telemetry;

/// Bodies kept under one key; more are only counted.
const BODIES_KEPT: i64 = 20;
/// More differing bodies than this under one key say that the key is probably no delivery id.
const BODIES_ALARMING: i64 = 3;

/// Looks the arrival's events up and answers it.
pub(crate) async fn settle(writer: &std::sync::Arc<Writer>, plan: &Plan, pending: Pending) {
    let Some(source) = plan.source(&pending.arrival.source) else {
        return pending.answer(Err(NotDurable::Failed));
    };
    // Once more on any trouble: the transaction left nothing behind.
    let mut outcome = transact(writer, plan, source, &pending).await;
    if outcome.is_err() {
        outcome = transact(writer, plan, source, &pending).await;
    }
    match outcome {
        Ok(Settled::Recorded(recorded)) => {
            if recorded.status == Status::Requeued {
                writer.wake.poke();
            }
            pending.answer(Ok(recorded));
        }
        Ok(Settled::Expired) => Box::pin(writer.write(vec![pending])).await,
        Err(error) => {
            tracing::error!(%error, "duplicate.failed");
            pending.answer(Err(NotDurable::Failed));
        }
    }
}

/// How an arrival that was not (all) new stands.
enum Settled {
    Recorded(Recorded),
    /// A receipt was past its horizon and is gone now: the arrival is new after all.
    Expired,
}

/// One event's part of the outcome; the most telling one names the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Copy(Uuid),
    Requeued(Uuid),
    Conflict(Uuid),
    New(Uuid),
}

/// Transaction: the copy or conflict, and the redrive it causes, commit together.
async fn transact(writer: &Writer, plan: &Plan, source: &PlannedSource, pending: &Pending) -> sqlx::Result<Settled> {
    let arrival = &pending.arrival;
    let wanted: Vec<NewReceipt> = arrival.receipts(source).collect();
    let mut tx = writer.pool.begin().await?;
    let existing = receipts::find(&mut tx, &wanted).await?;
    let mut found = None;
    for event in &wanted {
        let same = |r: &&Receipt| r.source == event.source && r.key == event.key;
        let Some(receipt) = existing.iter().find(same) else {
            return Ok(Settled::Expired);
        };
        let one = if receipt.delivery == arrival.id {
            // Our own receipt: recorded before, by a try whose answer was lost, or just now as the new part of a batch.
            Found::New(arrival.id)
        } else if is_past(receipt.delivery, writer) {
            receipts::expire(&mut tx, receipt).await?;
            tx.commit().await?;
            return Ok(Settled::Expired);
        } else if receipt.fingerprint == event.fingerprint {
            copy(&mut tx, &arrival.source, receipt, writer.gateway).await?
        } else {
            conflict(&mut tx, event, receipt, (source, plan), pending, writer).await?
        };
        found = found.max(Some(one));
    }
    tx.commit().await?;
    // An empty batch has no events and is new by its own row; it never comes here.
    let (delivery, status) = match found.unwrap_or(Found::New(arrival.id)) {
        Found::New(id) if arrival.is_handled(source, plan) => (id, Status::Accepted),
        Found::New(id) => (id, Status::Unhandled),
        Found::Conflict(id) => (id, Status::Conflict),
        Found::Requeued(id) => (id, Status::Requeued),
        Found::Copy(id) => (id, Status::Duplicate),
    };
    Ok(Settled::Recorded(Recorded { delivery, status }))
}

/// A receipt past its horizon counts as absent even if nobody purged it yet.
fn is_past(delivery: Uuid, writer: &Writer) -> bool {
    let horizon = TimeDelta::from_std(writer.receipt_horizon).unwrap_or(TimeDelta::MAX);
    stamped_at(delivery).is_some_and(|stamped| writer.clock.now() - stamped > horizon)
}

/// The same event again: dead jobs are queued afresh, waiting ones become due, others are left alone; noted in any case.
async fn copy(tx: &mut sqlx::PgConnection, source: &str, receipt: &Receipt, gateway: Uuid) -> sqlx::Result<Found> {
    let (delivery, event) = (receipt.delivery, receipt.event);
    let redriven = dead::redrive(&mut *tx, delivery, Some(event), None).await?;
    lanes::hasten(&mut *tx, delivery, event, None).await?;
    let hastened = jobs::hasten(&mut *tx, delivery, event, None).await?;
    let act = match (redriven.is_empty(), hastened) {
        (false, _) => Act::Requeued,
        (true, 1..) => Act::Hastened,
        (true, 0) => Act::Noted,
    };
    copies::insert(tx, delivery, event, act, gateway).await?;
    metrics::counter!(telemetry::DUPLICATES, "source" => source.to_owned(), "act" => act.as_str()).increment(1);
    Ok(if act == Act::Requeued { Found::Requeued(delivery) } else { Found::Copy(delivery) })
}

/// Another body under a known id: kept as a delivery of its own. It has no jobs until an operator releases it, unless
/// its source says `on_conflict = "process"`.
async fn conflict(
    tx: &mut sqlx::PgConnection,
    event: &NewReceipt,
    receipt: &Receipt,
    (source, plan): (&PlannedSource, &Plan),
    pending: &Pending,
    writer: &Writer,
) -> sqlx::Result<Found> {
    match receipts::note_conflict(&mut *tx, event).await? {
        ConflictNote::Known { delivery, .. } if delivery == event.delivery => Ok(Found::Conflict(delivery)),
        ConflictNote::Known { delivery, event } => {
            copies::insert(tx, delivery, event, Act::Noted, writer.gateway).await?;
            Ok(Found::Conflict(delivery))
        }
        ConflictNote::First { bodies } => {
            let name = &pending.arrival.source;
            metrics::counter!(telemetry::CONFLICTS, "source" => name.to_string()).increment(1);
            tracing::warn!(
                source = %name, delivery = %event.delivery, original = %receipt.delivery, bodies,
                "delivery.conflict: the same id came with another body"
            );
            if bodies > BODIES_ALARMING {
                tracing::error!(
                    source = %name, bodies,
                    "delivery.id_reused: this is probably not a delivery id; check the source's delivery_id setting"
                );
            }
            if bodies <= BODIES_KEPT {
                deliveries::insert_conflict(&mut *tx, &pending.arrival.row(source), receipt.delivery).await?;
                if !source.parks_conflicts {
                    for job in pending.arrival.jobs(source, plan) {
                        replays::queue(&mut *tx, &job, 0, None).await?;
                    }
                }
                return Ok(Found::Conflict(event.delivery));
            }
            // The body is not kept; whoever sends it again must not be told the id of a delivery that is not there.
            receipts::redirect_conflict(tx, event, receipt).await?;
            Ok(Found::Conflict(receipt.delivery))
        }
    }
}
