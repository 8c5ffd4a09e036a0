//! What was not new: copies, conflicts, and redeliveries of dead work.
//!
//! Each arrival in a transaction of its own: the lock order dead → lanes → conflicts → jobs holds within one arrival,
//! and two of them in one transaction would break it.

use std::sync::Arc;

use chrono::TimeDelta;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use uuid::Uuid;

use super::arrival::Arrival;
use super::patience::{answered, give_back};
use super::record::{NotDurable, Pending, Recorded};
use super::reply::Status;
use super::write::Writer;
use crate::database::begin_on;
use crate::registry::{Plan, PlannedSource};
use crate::store::copies::Act;
use crate::store::dead::Asking;
use crate::store::partitions::stamped_at;
use crate::store::receipts::{ConflictNote, Receipt};
use crate::store::record::{NewJob, NewReceipt};
use crate::store::{copies, dead, deliveries, jobs, lanes, receipts, replays};
use crate::telemetry;

/// Bodies kept under one key; more are only counted.
const BODIES_KEPT: i64 = 20;
/// More differing bodies than this under one key say that the key is probably no delivery id.
const BODIES_ALARMING: i64 = 3;

/// Looks the arrival's events up and answers it.
pub(crate) async fn settle(writer: &Arc<Writer>, plan: &Plan, mut pending: Pending) {
    pending.arrival.route(plan);
    let Some(source) = plan.source(&pending.arrival.source) else {
        return pending.answer(Err(NotDurable::Failed));
    };
    let parts = Parts { writer, plan, source, arrival: &pending.arrival };
    // Once more on any trouble: the transaction left nothing behind.
    let mut outcome = look_up(writer.pool.acquire().await, &parts).await;
    if outcome.is_err() {
        outcome = look_up(writer.living().await, &parts).await;
    }
    match outcome {
        Ok(Settled::Recorded(recorded, Work(is_due))) => {
            if is_due {
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

/// What a look-up works with.
#[derive(Clone, Copy)]
struct Parts<'a> {
    writer: &'a Writer,
    plan: &'a Plan,
    source: &'a PlannedSource,
    arrival: &'a Arrival,
}

/// How an arrival that was not (all) new stands.
enum Settled {
    Recorded(Recorded, Work),
    /// A receipt was past its horizon and is gone now: the arrival is new after all.
    Expired,
}

/// Whether something may run now that could not before: workers are told after the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Work(bool);

/// One event's part of the outcome; the most telling one names the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Copy(EventId),
    Requeued(EventId),
    Conflict(EventId),
    New(EventId),
}

/// A delivery and an event of it.
type EventId = (Uuid, i32);

async fn look_up(conn: sqlx::Result<PoolConnection<Postgres>>, parts: &Parts<'_>) -> sqlx::Result<Settled> {
    let mut conn = conn?;
    let outcome = answered(transact(&mut conn, parts)).await;
    give_back(conn, &outcome);
    outcome
}

/// Transaction: the copy or conflict, and the redrive it causes, commit together.
async fn transact(conn: &mut PgConnection, parts: &Parts<'_>) -> sqlx::Result<Settled> {
    let mut wanted: Vec<NewReceipt> = parts.arrival.receipts(parts.source).collect();
    // Whoever notes the same conflicts notes them in the same order.
    wanted.sort_by_key(|event| event.key);
    let mut tx = begin_on(&parts.writer.pool, conn).await?;
    let existing = receipts::find(&mut tx, &wanted).await?;
    let Some(known) = Known::of(&wanted, &existing, |delivery| is_past(delivery, parts.writer)) else {
        return Ok(Settled::Expired);
    };
    if let Some(past) = known.past {
        receipts::expire(&mut tx, past).await?;
        tx.commit().await?;
        return Ok(Settled::Expired);
    }
    let released: Vec<NewJob> = known.conflicts.iter().flat_map(|(event, _)| released(parts, event)).collect();
    let copied: Vec<_> = known.copies.iter().map(|receipt| (receipt.delivery, receipt.event)).collect();
    lanes::lock(&mut tx, &copied, &released.iter().collect::<Vec<_>>()).await?;

    let mut found = known.own.then_some(Found::New((parts.arrival.id, 0)));
    // What is released is queued, unless its body came before.
    let mut work = Work(!released.is_empty());
    for (event, receipt) in known.conflicts {
        found = found.max(Some(conflict(&mut tx, event, receipt, parts).await?));
    }
    for receipt in known.copies {
        let (copied, due) = copy(&mut tx, receipt, parts).await?;
        (found, work) = (found.max(Some(copied)), work.max(due));
    }
    tx.commit().await?;
    Ok(Settled::Recorded(recorded(found, parts), work))
}

/// An arrival without events is here because an earlier try stored it.
fn recorded(found: Option<Found>, parts: &Parts<'_>) -> Recorded {
    let ((delivery, event), status) = match found.unwrap_or(Found::New((parts.arrival.id, 0))) {
        Found::New(id) => (id, parts.arrival.status(parts.source, parts.plan)),
        Found::Conflict(id) => (id, Status::Conflict),
        Found::Requeued(id) => (id, Status::Requeued),
        Found::Copy(id) => (id, Status::Duplicate),
    };
    Recorded { delivery, event, status, responder: parts.arrival.responder(parts.source, parts.plan) }
}

/// What the receipts say of an arrival's events.
#[derive(Debug, Default)]
struct Known<'a> {
    /// Some were recorded by this arrival: by a try whose answer was lost, or just now as the new part of a batch.
    own: bool,
    /// Each once, by delivery and event: the order in which jobs are locked.
    copies: Vec<&'a Receipt>,
    conflicts: Vec<(&'a NewReceipt, &'a Receipt)>,
    past: Option<&'a Receipt>,
}

impl<'a> Known<'a> {
    /// `None`: an event has no receipt any more.
    fn of(wanted: &'a [NewReceipt], existing: &'a [Receipt], is_past: impl Fn(Uuid) -> bool) -> Option<Self> {
        let mut known = Self::default();
        for event in wanted {
            let receipt = existing.iter().find(|r| r.source == event.source && r.key == event.key)?;
            let is_ours = receipt.delivery == event.delivery;
            let is_same = receipt.fingerprint == event.fingerprint;
            if is_ours && (is_same || receipt.event == event.event) {
                known.own = true;
            } else if !is_ours && is_past(receipt.delivery) {
                known.past = Some(receipt);
            } else if is_same {
                known.copies.push(receipt);
            } else {
                // Another body: of another request, or of another element of this one.
                known.conflicts.push((event, receipt));
            }
        }
        known.copies.sort_by_key(|receipt| (receipt.delivery, receipt.event));
        known.copies.dedup();
        Some(known)
    }
}

/// A receipt past its horizon counts as absent even if nobody purged it yet.
fn is_past(delivery: Uuid, writer: &Writer) -> bool {
    let horizon = TimeDelta::from_std(writer.receipt_horizon).unwrap_or(TimeDelta::MAX);
    stamped_at(delivery).is_some_and(|stamped| writer.clock.now() - stamped > horizon)
}

/// The same event again: dead jobs are queued afresh (not what an operator cancelled), waiting ones become due, others are
/// left alone; noted in any case.
async fn copy(tx: &mut PgConnection, receipt: &Receipt, parts: &Parts<'_>) -> sqlx::Result<(Found, Work)> {
    let (delivery, event) = (receipt.delivery, receipt.event);
    let redriven = dead::redrive(&mut *tx, delivery, Some(event), None, Asking::Sender).await?;
    lanes::hasten(&mut *tx, delivery, event, None).await?;
    let hastened = jobs::hasten(&mut *tx, delivery, event, None).await?;
    let act = match (redriven.is_empty(), hastened) {
        (false, _) => Act::Requeued,
        (true, 1..) => Act::Hastened,
        (true, 0) => Act::Noted,
    };
    copies::insert(tx, delivery, event, act, parts.writer.gateway).await?;
    let source = parts.arrival.source.to_string();
    metrics::counter!(telemetry::DUPLICATES, "source" => source, "act" => act.as_str()).increment(1);
    let found = if act == Act::Requeued { Found::Requeued((delivery, event)) } else { Found::Copy((delivery, event)) };
    Ok((found, Work(act != Act::Noted)))
}

/// Another body under a known id: kept as a delivery of its own. It has no jobs until an operator releases it, unless
/// its source says `on_conflict = "process"`.
async fn conflict(
    tx: &mut PgConnection,
    event: &NewReceipt,
    receipt: &Receipt,
    parts: &Parts<'_>,
) -> sqlx::Result<Found> {
    match receipts::note_conflict(&mut *tx, event).await? {
        ConflictNote::Known { delivery, event: noted } if delivery == event.delivery => {
            Ok(Found::Conflict((delivery, noted)))
        }
        ConflictNote::Known { delivery, event } => {
            copies::insert(tx, delivery, event, Act::Noted, parts.writer.gateway).await?;
            Ok(Found::Conflict((delivery, event)))
        }
        ConflictNote::First { bodies } => {
            raise_alarm(&parts.arrival.source, event, receipt, bodies);
            if bodies <= BODIES_KEPT {
                deliveries::insert_conflict(&mut *tx, &parts.arrival.row(parts.source), event.event, receipt.delivery)
                    .await?;
                for job in released(parts, event) {
                    replays::queue(&mut *tx, &job, 0, None).await?;
                }
                return Ok(Found::Conflict((event.delivery, event.event)));
            }
            // The body is not kept; whoever sends it again must not be told the id of a delivery that is not there.
            receipts::redirect_conflict(tx, event, receipt).await?;
            Ok(Found::Conflict((receipt.delivery, receipt.event)))
        }
    }
}

/// The jobs of a conflicting event, where its source wants it processed all the same. Of this event alone: the others of
/// its batch have theirs, or had them.
fn released(parts: &Parts<'_>, event: &NewReceipt) -> impl Iterator<Item = NewJob> {
    let (processes, number) = (!parts.source.parks_conflicts, event.event);
    parts.arrival.jobs(parts.source, parts.plan).filter(move |job| processes && job.event == number)
}

fn raise_alarm(source: &str, event: &NewReceipt, receipt: &Receipt, bodies: i64) {
    metrics::counter!(telemetry::CONFLICTS, "source" => source.to_owned()).increment(1);
    tracing::warn!(
        %source, delivery = %event.delivery, original = %receipt.delivery, bodies,
        "delivery.conflict: the same id came with another body"
    );
    if bodies > BODIES_ALARMING {
        tracing::error!(
            %source, bodies,
            "delivery.id_reused: this is probably not a delivery id; check the source's delivery_id setting"
        );
    }
}
