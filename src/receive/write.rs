//! Carries T1 out for a batch: plan, write, and what to do when the database refuses.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::arrival::Arrival;
use super::duplicates;
use super::patience::{answered, give_back, living};
use super::record::{NotDurable, Pending, Recorded};
use super::reply::Status;
use super::trouble::{Trouble, trouble};
use crate::clock::DatabaseClock;
use crate::database::single_on;
use crate::deliver::Wake;
use crate::registry::{self, Plan, PlannedSource};
use crate::store::record::{self as store, Batch, Written};
use crate::{maintenance, telemetry};

/// What the writers share.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) pool: PgPool,
    pub(crate) gateway: Uuid,
    pub(crate) clock: Arc<DatabaseClock>,
    pub(crate) receipt_horizon: Duration,
    pub(crate) wake: Arc<Wake>,
    plan: RwLock<Arc<Plan>>,
    /// Duplicates are looked up beside the writers, never instead of them.
    duplicates: Arc<Semaphore>,
}

impl Writer {
    pub(crate) fn new(
        pool: PgPool,
        gateway: Uuid,
        clock: Arc<DatabaseClock>,
        plan: Plan,
        receipt_horizon: Duration,
        wake: Arc<Wake>,
    ) -> Self {
        let plan = RwLock::new(Arc::new(plan));
        Self { pool, gateway, clock, receipt_horizon, wake, plan, duplicates: Arc::new(Semaphore::new(2)) }
    }

    pub(crate) fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.plan.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn reload_plan(&self) -> sqlx::Result<()> {
        let plan = answered(registry::load(&self.pool)).await?;
        *self.plan.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(plan);
        Ok(())
    }

    /// Writes a batch and answers everyone in it.
    ///
    /// The database's refusals are sorted by what can help: bad data → halve the batch until the culprit stands alone,
    /// so its neighbours are written; a lost race or a lost connection → the whole batch once more, with the same ids,
    /// which is safe because a receipt that names its own delivery means "recorded before".
    pub(crate) async fn write(self: &Arc<Self>, batch: Vec<Pending>) {
        // A stack instead of recursion: halves of halves.
        let mut todo = vec![(batch, Tries::default())];
        while let Some((mut batch, tries)) = todo.pop() {
            match self.once(&mut batch, tries).await {
                Ok(written) => self.answer(batch, &written),
                Err(error) => match (trouble(&error), tries) {
                    (Trouble::NoPartition, Tries { partitions: false, .. }) => {
                        if let Err(error) = answered(maintenance::partitions::ensure(&self.pool)).await {
                            tracing::error!(%error, "partitions.create_failed");
                        }
                        todo.push((batch, Tries { partitions: true, ..tries }));
                    }
                    (Trouble::Contention | Trouble::Unreachable, Tries { again: false, .. }) => {
                        todo.push((batch, Tries { again: true, ..tries }));
                    }
                    (Trouble::BadData, _) if batch.len() > 1 => {
                        let mut first = batch;
                        let second = first.split_off(first.len() / 2);
                        todo.push((second, tries));
                        todo.push((first, tries));
                    }
                    (Trouble::BadData | Trouble::NoPartition | Trouble::Contention | Trouble::Unreachable, _) => {
                        let class = error.as_database_error().and_then(|e| e.code()?.get(..2).map(str::to_owned));
                        let class = class.unwrap_or_else(|| "connection".to_owned());
                        metrics::counter!(telemetry::RECORD_FAILURES, "class" => class).increment(1);
                        tracing::error!(%error, deliveries = batch.len(), "record.failed");
                        for pending in batch {
                            pending.answer(Err(NotDurable::Failed));
                        }
                    }
                },
            }
        }
    }

    /// T1, planned again as often as the registry moves on meanwhile.
    async fn once(&self, pending: &mut [Pending], tries: Tries) -> sqlx::Result<Written> {
        loop {
            let plan = self.plan();
            let mut batch = Batch::default();
            for pending in &mut *pending {
                pending.arrival.route(&plan);
            }
            for pending in &*pending {
                if let Some(source) = plan.source(&pending.arrival.source) {
                    pending.arrival.push_into(&mut batch, source, &plan);
                }
            }
            let started = Instant::now();
            let mut conn = if tries.again { self.living().await? } else { self.pool.acquire().await? };
            let outcome = answered(async {
                let mut single = single_on(&self.pool, &mut conn).await?;
                let written = store::record(&mut single, plan.generation, &batch).await?;
                single.done().await?;
                Ok(written)
            })
            .await;
            give_back(conn, &outcome);
            let written = outcome?;
            metrics::histogram!(telemetry::RECORD_SECONDS).record(started.elapsed());
            self.clock.sync(written.at);
            if written.generation == plan.generation {
                return Ok(written);
            }
            self.reload_plan().await?;
        }
    }

    /// A connection that answers. After one was lost, the others of the pool are suspect too: each dead one is dropped.
    pub(super) async fn living(&self) -> sqlx::Result<PoolConnection<Postgres>> {
        for _ in 0..self.pool.options().get_max_connections() {
            if let Some(conn) = living(self.pool.acquire().await?).await {
                return Ok(conn);
            }
        }
        self.pool.acquire().await
    }

    /// New ones are answered at once; the others are looked at in transactions of their own, beside the next batch.
    fn answer(self: &Arc<Self>, batch: Vec<Pending>, written: &Written) {
        let plan = self.plan();
        let new = New::of(written);
        let mut woke = false;
        for mut pending in batch {
            pending.arrival.route(&plan);
            let arrival = &pending.arrival;
            let Some(source) = plan.source(&arrival.source) else {
                // The source's row is gone: nothing was written for it.
                pending.answer(Err(NotDurable::Failed));
                continue;
            };
            if new.deliveries.contains(&arrival.id) {
                let status = arrival.status(source, &plan);
                woke |= status == Status::Accepted;
                count_filtered(arrival, source, &plan, written);
                let delivery = arrival.id;
                if new.events(delivery) == arrival.receipts(source).count() {
                    let responder = arrival.responder(source, &plan);
                    pending.answer(Ok(Recorded { delivery, event: 0, status, responder }));
                    continue;
                }
            }
            let (writer, plan) = (Arc::clone(self), Arc::clone(&plan));
            let permits = Arc::clone(&self.duplicates);
            tokio::spawn(async move {
                let Ok(_permit) = permits.acquire().await else {
                    return;
                };
                // In a retry storm those who wait in vain would otherwise keep those behind them waiting until they do
                // so too, and nothing would ever be acknowledged again.
                if pending.is_given_up() {
                    return;
                }
                duplicates::settle(&writer, &plan, pending).await;
            });
        }
        if woke {
            self.wake.poke();
        }
    }
}

/// Counts what conditions kept a handler from, of the events that are new.
fn count_filtered(arrival: &Arrival, source: &PlannedSource, plan: &Plan, written: &Written) {
    for kept_from in arrival.kept_from(|event| written.new.contains(&(arrival.id, event))) {
        if let Some(subscription) = plan.on(source.id).iter().find(|subscription| subscription.id == kept_from) {
            metrics::counter!(telemetry::FILTERED, "handler" => subscription.handler.clone()).increment(1);
        }
    }
}

/// What T1 wrote, by delivery.
struct New {
    /// Those that have a row now. One without events is there, too.
    deliveries: HashSet<Uuid>,
    events: HashMap<Uuid, usize>,
}

impl New {
    fn of(written: &Written) -> Self {
        let mut events = HashMap::with_capacity(written.new.len());
        for (delivery, _) in &written.new {
            *events.entry(*delivery).or_default() += 1;
        }
        Self { deliveries: written.stored.iter().copied().collect(), events }
    }

    /// How many of a delivery's events are new.
    fn events(&self, delivery: Uuid) -> usize {
        self.events.get(&delivery).copied().unwrap_or(0)
    }
}

/// What was tried already for a batch.
#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    again: bool,
    partitions: bool,
}
