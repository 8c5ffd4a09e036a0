//! **Deliver**: wake → claim → run → decide → settle.
//!
//! Promise: within a lane jobs run one at a time in received order; a handler's effects and its completion commit
//! together or not at all; a worker that lost its claim changes nothing.
//!
//! A worker says that it lives every `heartbeat`; one silent for `lease` loses its claims to whoever rescues them. A
//! worker that can't say so stops starting jobs before its lease is over, so that a partition costs a retry, not a
//! double run.

pub(crate) mod claim;
mod execute;
mod heartbeat;
pub(crate) mod rescue;
mod settle;
mod wake;
mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::handler::{Handler, State};
use crate::registry::{self, Plan};
use crate::store::Token;
use crate::telemetry;
use claim::Claim;

pub(crate) use heartbeat::{Pulse, beat, introduce};
pub(crate) use wake::{Wake, announce, listen};

/// How a worker behaves.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) poll: Duration,
    pub(crate) heartbeat: Duration,
    pub(crate) lease: Duration,
    pub(crate) lane_claim: i64,
    pub(crate) release: i64,
    pub(crate) config_hash: String,
}

/// A handler this process has code for, and its free places.
#[derive(Debug)]
struct Served {
    handler: Handler,
    places: Arc<Semaphore>,
}

/// One process's worker.
#[derive(Debug)]
pub(crate) struct Worker {
    /// Fresh per process start, so that no claim of an earlier one can be mistaken for ours.
    pub(crate) id: Uuid,
    pub(crate) pool: PgPool,
    pub(crate) settings: Settings,
    pub(crate) state: Arc<State>,
    /// There may be work.
    pub(crate) wake: Arc<Wake>,
    /// Start nothing more.
    pub(crate) stop: CancellationToken,
    /// End what runs.
    cut: CancellationToken,
    pub(crate) pulse: Pulse,
    served: Vec<Arc<Served>>,
    claims: AtomicI64,
    running: TaskTracker,
}

impl Worker {
    pub(crate) fn new(
        pool: PgPool,
        settings: Settings,
        handlers: Vec<Handler>,
        state: Arc<State>,
        wake: Arc<Wake>,
        stop: CancellationToken,
    ) -> Self {
        let served = handlers
            .into_iter()
            .map(|handler| {
                let places = Arc::new(Semaphore::new(handler.concurrency));
                Arc::new(Served { handler, places })
            })
            .collect();
        Self {
            id: Uuid::new_v4(),
            pool,
            settings,
            state,
            wake,
            stop,
            cut: CancellationToken::new(),
            pulse: Pulse::new(),
            served,
            claims: AtomicI64::new(0),
            running: TaskTracker::new(),
        }
    }

    /// Claims and runs until told to stop, then waits at most `grace` for what runs. What hasn't started by then is
    /// handed back at once; what hasn't ended is left to be rescued.
    pub(crate) async fn run(self: Arc<Self>, grace: Duration) {
        let mut plan: Option<Plan> = None;
        let mut turn = 0;
        while !self.stop.is_cancelled() {
            match self.look(&mut plan, turn).await {
                // Something was claimed: there may be more, for handlers with free places.
                Ok(claimed) if claimed > 0 => {}
                Ok(_) => self.rest().await,
                Err(error) => {
                    metrics::counter!(telemetry::CLAIM_FAILURES).increment(1);
                    tracing::warn!(%error, "claim.failed");
                    self.rest().await;
                }
            }
            turn += 1;
        }
        self.running.close();
        if tokio::time::timeout(grace, self.running.wait()).await.is_err() {
            tracing::warn!(left = self.running.len(), "worker.grace_over: what still runs will be rescued");
            // Cut off, so that no open transaction keeps its connection and with it this process.
            self.cut.cancel();
            self.running.wait().await;
        }
    }

    async fn rest(&self) {
        tokio::select! {
            () = self.wake.poked() => {}
            () = self.stop.cancelled() => {}
            () = tokio::time::sleep(self.settings.poll) => {}
        }
    }

    /// Looks for work once, for every handler with free places; how many claims were made.
    async fn look(self: &Arc<Self>, plan: &mut Option<Plan>, turn: usize) -> sqlx::Result<usize> {
        if !self.pulse.is_fresh(self.settings.lease) {
            return Ok(0);
        }
        let plan = self.current(plan).await?;
        let mut free: Vec<(Arc<Served>, i32, OwnedSemaphorePermit)> = Vec::new();
        for served in &self.served {
            let subscriptions: Vec<i32> = plan.of_handler(&served.handler.name).map(|s| s.id).collect();
            // Each source's share of the free places; who goes first takes turns, so that the remainder does too.
            for (n, at) in (0..subscriptions.len()).rev().zip(turn..) {
                let share = served.places.available_permits().div_ceil(n + 1) as u32;
                let Ok(permit) = Arc::clone(&served.places).try_acquire_many_owned(share.max(1)) else {
                    break;
                };
                free.push((Arc::clone(served), subscriptions[at % subscriptions.len()], permit));
            }
        }
        if free.is_empty() {
            return Ok(0);
        }
        let wanted: Vec<(i32, i64)> =
            free.iter().map(|(_, subscription, permit)| (*subscription, permit.num_permits() as i64)).collect();
        let claims = claim::claim(&self.pool, &wanted, self.next_token(), self.settings.lane_claim).await?;
        let claimed = claims.len();
        for claim in claims {
            let place = free.iter_mut().find(|(_, subscription, _)| *subscription == claim.subscription());
            let Some((served, _, permits)) = place else {
                continue;
            };
            let Some(permit) = permits.split(1) else {
                continue;
            };
            self.running.spawn(Arc::clone(self).start(Arc::clone(served), claim, permit));
        }
        Ok(claimed)
    }

    async fn start(self: Arc<Self>, served: Arc<Served>, claim: Claim, place: OwnedSemaphorePermit) {
        tokio::select! {
            () = work::work(&self, &served.handler, claim) => {}
            () = self.cut.cancelled() => {}
        }
        drop(place);
        // A place is free, and the lane may have more.
        self.wake.poke_local();
    }

    /// The registry, read again when it moved on: a new source may have new subscriptions of our handlers.
    async fn current<'a>(&self, plan: &'a mut Option<Plan>) -> sqlx::Result<&'a Plan> {
        let generation = {
            let mut conn = self.pool.acquire().await?;
            crate::store::registry::generation(&mut conn).await?
        };
        if plan.as_ref().is_none_or(|plan| plan.generation != generation) {
            *plan = None;
        }
        match plan {
            Some(plan) => Ok(plan),
            None => Ok(plan.insert(registry::load(&self.pool).await?)),
        }
    }

    fn next_token(&self) -> Token {
        Token { worker: self.id, n: self.claims.fetch_add(1, Ordering::Relaxed) }
    }
}
