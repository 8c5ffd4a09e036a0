//! Redrive to another handler: a handler was renamed, or is gone, and another one goes on with its jobs.
//!
//! Promise: an event becomes at most one job of the new handler, however often this is asked and whatever the new one did by
//! itself; the old job ends in the transaction that makes the new one.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{BATCHES, SteerError, must_exist};
use crate::database::{begin, single};
use crate::receive::arrival::lane;
use crate::replay::{facts, place, wants};
use crate::store::cancel::{self, Epitaph, FIRST};
use crate::store::deliveries::{self, Stored};
use crate::store::record::NewJob;
use crate::store::redrive::{self as store, Facts, Movable};
use crate::store::registry::{self, Place, SubscriptionRow};
use crate::store::replays::{self, audit};
use crate::store::{JobKey, claims, lanes};
use crate::telemetry;

/// Fewer than elsewhere: each brings its delivery and a new job.
const BATCH: i64 = 100;

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Redriven {
    /// Jobs of the old handler that ended; on a dry run those that are looked at.
    pub(crate) moved: i64,
    /// Jobs that were made. Fewer, where the new handler had the event already or takes several as one.
    pub(crate) made: i64,
    /// Jobs that stay: the new handler does not take their event type, or their payload is gone.
    pub(crate) left: i64,
    /// Jobs of the old handler that run at this moment, and stay.
    pub(crate) running: i64,
    /// Whether to ask again: this call did its share.
    pub(crate) more: bool,
}

/// Hands the queued and dead jobs of one handler over to another. Transaction: one a batch; old jobs' ends, new jobs and the
/// audit line commit together.
pub(crate) async fn redrive(
    pool: &PgPool,
    from: &str,
    to: &str,
    actor: &str,
    dry_run: bool,
) -> Result<Redriven, SteerError> {
    let (old, new) = both(pool, from, to).await?;
    let subscriptions: Vec<i32> = old.iter().map(|place| place.subscription).collect();
    let mut done = Redriven::default();
    let (movable, running) = store::count(&mut *single(pool).await?, &subscriptions).await?;
    done.running = running;
    if dry_run {
        done.moved = movable;
        return Ok(done);
    }
    let mut after = FIRST;
    for _ in 0..BATCHES {
        let picked = pick(pool, &subscriptions, after, BATCH).await?;
        let Some(last) = picked.last() else {
            return Ok(done);
        };
        after = last.key();
        let mut tx = begin(pool).await?;
        registry::hold(&mut tx).await?;
        let whole = picked.len() as i64 == BATCH;
        let batch = Batch { old: &old, new: &new, from, to };
        let (moved, made) = batch.move_all(&mut tx, &picked).await?;
        if moved > 0 {
            let detail = json!({ "to": to, "moved": moved, "made": made });
            audit(&mut tx, actor, "handler.redrive", from, &detail).await?;
        }
        tx.commit().await?;
        metrics::counter!(telemetry::REPLAYED, "how" => "redriven_to").increment(made.unsigned_abs());
        done.moved += moved;
        done.made += made;
        done.left += picked.len() as i64 - moved;
        if !whole {
            return Ok(done);
        }
    }
    done.more = true;
    Ok(done)
}

/// Transaction: bounds the planner's settings; what is picked is looked at again once it is locked.
async fn pick(pool: &PgPool, subscriptions: &[i32], after: JobKey, limit: i64) -> sqlx::Result<Vec<Movable>> {
    let mut tx = begin(pool).await?;
    claims::plan_by_index(&mut tx).await?;
    store::pick(&mut tx, subscriptions, after, limit).await
}

/// Where the old handler has jobs, and the new one's subscriptions by source. Refused where a job would have nowhere to go.
async fn both(pool: &PgPool, from: &str, to: &str) -> Result<(Vec<Place>, HashMap<i32, SubscriptionRow>), SteerError> {
    if from == to {
        return Err(SteerError::Itself(to.to_owned()));
    }
    let mut conn = single(pool).await?;
    must_exist(&mut conn, Some(from), None).await?;
    must_exist(&mut conn, Some(to), None).await?;
    let mut old = Vec::new();
    for place in registry::places(&mut conn, Some(from), None).await? {
        let (movable, _) = store::count(&mut conn, &[place.subscription]).await?;
        if movable > 0 {
            old.push(place);
        }
    }
    let snapshot = registry::snapshot(&mut conn).await?;
    let taken = snapshot.subscriptions.into_iter().filter(|s| s.active && s.handler == to);
    let new: HashMap<i32, SubscriptionRow> = taken.map(|subscription| (subscription.source, subscription)).collect();
    let missing: Vec<String> =
        old.iter().filter(|place| !new.contains_key(&place.source)).map(|place| place.source_name.clone()).collect();
    if missing.is_empty() { Ok((old, new)) } else { Err(SteerError::NotTaken { to: to.to_owned(), sources: missing }) }
}

struct Batch<'a> {
    old: &'a [Place],
    new: &'a HashMap<i32, SubscriptionRow>,
    from: &'a str,
    to: &'a str,
}

/// A job that moves, with the events it stands for.
struct Move<'a> {
    job: &'a Movable,
    delivery: &'a Facts,
    /// Loaded only where the new handler orders by something that the row does not tell.
    stored: Option<&'a Stored>,
    subscription: &'a SubscriptionRow,
    events: Vec<i32>,
}

impl Batch<'_> {
    /// How many old jobs ended, and how many new ones were made. Deliveries first, as a replay locks; then dead → lanes →
    /// jobs, all lanes of both handlers at once.
    async fn move_all(&self, tx: &mut PgConnection, picked: &[Movable]) -> sqlx::Result<(i64, i64)> {
        let ids: Vec<Uuid> = picked.iter().map(|job| job.delivery).collect();
        let deliveries: HashMap<Uuid, Facts> =
            store::lock(&mut *tx, &ids).await?.into_iter().map(|facts| (facts.id, facts)).collect();
        let bodies = self.bodies(&mut *tx, deliveries.values()).await?;
        let moves: Vec<Move<'_>> = picked.iter().filter_map(|job| self.plan(job, &deliveries, &bodies)).collect();
        if moves.is_empty() {
            return Ok((0, 0));
        }
        let events: Vec<(Uuid, i32)> = moves.iter().map(|m| (m.job.delivery, m.job.event)).collect();
        let wanted: Vec<NewJob> = moves.iter().flat_map(Move::jobs).collect();
        lanes::lock(&mut *tx, &events, &wanted.iter().collect::<Vec<_>>()).await?;

        let ended = self.end(&mut *tx, &moves).await?;
        let subscriptions: Vec<i32> = self.new.values().map(|subscription| subscription.id).collect();
        let standing = store::standing(&mut *tx, &ids, &subscriptions).await?.into_iter().collect();
        let mut made = 0;
        for job in merged(moves.iter().filter(|m| ended.contains(&m.job.key())), &standing) {
            if replays::queue(&mut *tx, &job, 0, None).await? {
                made += 1;
            }
            let key = JobKey { delivery: job.delivery, event: job.event, subscription: job.subscription, run: 0 };
            store::take_back(&mut *tx, key).await?;
        }
        Ok((ended.len() as i64, made))
    }

    /// The requests that a new subscription with places of its own for key or version has to look into.
    async fn bodies(
        &self,
        tx: &mut PgConnection,
        deliveries: impl Iterator<Item = &Facts>,
    ) -> sqlx::Result<HashMap<Uuid, Stored>> {
        let mut bodies = HashMap::new();
        for facts in deliveries {
            let subscription = self.new.get(&facts.delivery.source);
            if subscription.is_some_and(|subscription| subscription.routing.placement().is_some())
                && let Some(stored) = deliveries::load(&mut *tx, facts.id).await?
            {
                bodies.insert(facts.id, stored);
            }
        }
        Ok(bodies)
    }

    fn plan<'a>(
        &'a self,
        job: &'a Movable,
        deliveries: &'a HashMap<Uuid, Facts>,
        bodies: &'a HashMap<Uuid, Stored>,
    ) -> Option<Move<'a>> {
        let place = self.old.iter().find(|place| place.subscription == job.subscription)?;
        let (subscription, delivery) = (self.new.get(&place.source)?, deliveries.get(&job.delivery)?);
        let taken = |event: &i32| wants(subscription, facts(&delivery.delivery, *event).0.as_deref());
        let events = job.events();
        // All or nothing: what is left of a job that stands for several would be nobody's.
        events.iter().all(taken).then_some(Move {
            job,
            delivery,
            stored: bodies.get(&job.delivery),
            subscription,
            events,
        })
    }

    /// Ends the old jobs that are still as they were picked: which are they? What began to run or was redriven meanwhile is
    /// not ours to hand over.
    async fn end(&self, tx: &mut PgConnection, moves: &[Move<'_>]) -> sqlx::Result<HashSet<JobKey>> {
        let text = format!("handed over from {} to {}", self.from, self.to);
        let (dead, queued): (Vec<_>, Vec<_>) = moves.iter().map(|m| m.job).partition(|job| job.is_dead);
        let dead: Vec<JobKey> = dead.iter().map(|job| job.key()).collect();
        let keys: Vec<JobKey> = queued.iter().map(|job| job.key()).collect();
        let locked: Vec<&[u8]> = queued.iter().filter_map(|job| job.lane.as_deref()).collect();
        let epitaph = Epitaph { text: &text, redriven_to: Some(self.to) };
        let mut ended: HashSet<JobKey> = HashSet::new();
        for (delivery, event, subscription, run) in store::hand_over(&mut *tx, &dead, self.to, &text).await? {
            ended.insert(JobKey { delivery, event, subscription, run });
        }
        ended.extend(cancel::cancel(tx, &keys, &locked, false, epitaph).await?.iter().map(|job| job.key()));
        Ok(ended)
    }
}

impl Move<'_> {
    /// The new handler's job for each of the events.
    fn jobs(&self) -> impl Iterator<Item = NewJob> {
        self.events.iter().map(|&event| {
            let (_, ordering_key, version) = facts(&self.delivery.delivery, event);
            let (subscription, locked) = (self.subscription, &self.delivery.delivery);
            let (key, version) = place(self.stored, locked, event, subscription, (ordering_key.as_deref(), version));
            NewJob {
                delivery: self.job.delivery,
                event,
                subscription: subscription.id,
                retention: locked.retention.clone(),
                lane: (subscription.ordering != "none").then(|| lane(subscription.id, key.as_deref())),
                version,
                elements: (subscription.whole && locked.events > 1).then(|| vec![event]),
                wait_ms: 0,
                eager: subscription.ordering == "latest",
            }
        })
    }
}

/// One job an event that the new handler has not had; where it takes requests whole, one a delivery.
fn merged<'a>(moves: impl Iterator<Item = &'a Move<'a>>, standing: &HashSet<(Uuid, i32, i32)>) -> Vec<NewJob> {
    let mut jobs: BTreeMap<(Uuid, i32), NewJob> = BTreeMap::new();
    let mut seen = standing.clone();
    for job in moves.flat_map(Move::jobs) {
        if !seen.insert((job.delivery, job.event, job.subscription)) {
            continue;
        }
        match &job.elements {
            // Its first element is the least, since jobs come in that order.
            Some(elements) => {
                let elements = elements.clone();
                let whole = jobs.values_mut().find(|made| {
                    made.elements.is_some() && (made.delivery, made.subscription) == (job.delivery, job.subscription)
                });
                match whole {
                    Some(whole) => whole.elements.get_or_insert_default().extend(elements),
                    None => drop(jobs.insert((job.delivery, job.event), job)),
                }
            }
            None => drop(jobs.insert((job.delivery, job.event), job)),
        }
    }
    jobs.into_values().collect()
}
