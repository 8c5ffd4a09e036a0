//! **Deliver**: wake → claim → run → decide → settle.
//!
//! Promise: within a lane jobs run one at a time in received order; a handler's effects and its completion commit
//! together or not at all; a worker that lost its claim changes nothing.
//!
//! A worker says that it lives every `heartbeat`; one silent for `lease` loses its claims to whoever rescues them. A
//! worker that can't say so stops starting jobs before its lease is over, so that a partition costs a retry, not a
//! double run.

mod answered;
pub(crate) mod claim;
mod execute;
mod hand_back;
mod heartbeat;
mod live;
mod record;
pub(crate) mod rescue;
mod settle;
mod share;
mod wake;
mod work;

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::answers::Answers;
use crate::handler::{Handler, State};
use crate::registry::{self, Plan};
use crate::telemetry;
use answered::answered;
use claim::Claim;
use hand_back::{Back, give_back};
use live::Live;
use share::{Asked, Served};

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
    /// Who waits in this process for what a handler answers.
    answers: Arc<Answers>,
    served: Vec<Arc<Served>>,
    live: Arc<Live>,
    running: TaskTracker,
}

impl Worker {
    pub(crate) fn new(
        pool: PgPool,
        settings: Settings,
        handlers: Vec<Handler>,
        state: Arc<State>,
        (wake, answers): (Arc<Wake>, Arc<Answers>),
        stop: CancellationToken,
    ) -> Self {
        let served = handlers.into_iter().map(|handler| Arc::new(Served::new(handler))).collect();
        Self {
            id: Uuid::new_v4(),
            pool,
            settings,
            state,
            wake,
            stop,
            cut: CancellationToken::new(),
            pulse: Pulse::new(),
            answers,
            served,
            live: Arc::default(),
            running: TaskTracker::new(),
        }
    }

    /// Claims and runs until told to stop, then waits at most `grace` for what runs. What hasn't started by then is
    /// handed back at once; what hasn't ended is cut off, and handed back as interrupted.
    pub(crate) async fn run(self: Arc<Self>, grace: Duration) {
        let mut plan: Option<Plan> = None;
        while !self.stop.is_cancelled() {
            match self.look(&mut plan).await {
                // Something was claimed: there may be more, for handlers with free places.
                Ok(claimed) if claimed > 0 => {}
                Ok(_) => self.rest().await,
                Err(error) => {
                    metrics::counter!(telemetry::CLAIM_FAILURES).increment(1);
                    tracing::warn!(%error, "claim.failed");
                    self.rest().await;
                }
            }
        }
        self.running.close();
        if tokio::time::timeout(grace, self.running.wait()).await.is_err() {
            tracing::warn!(left = self.running.len(), "worker.grace_over: what still runs is cut off");
            // Cut off, so that no open transaction keeps its connection and with it this process.
            self.cut.cancel();
            // A handler that blocks its thread can't be cut off; its claim falls silent, and is rescued.
            if tokio::time::timeout(self.patience(), self.running.wait()).await.is_err() {
                tracing::error!(
                    left = self.running.len(),
                    "worker.blocked: handlers that can't be cut off are left behind"
                );
            }
        }
    }

    async fn rest(&self) {
        tokio::select! {
            () = self.wake.poked() => {}
            () = self.stop.cancelled() => {}
            () = tokio::time::sleep(self.settings.poll) => {}
        }
    }

    /// What the database is given to answer in.
    fn patience(&self) -> Duration {
        answered::patience(self.settings.lease)
    }

    /// Looks for work once, for every handler with free places; how many claims were made.
    async fn look(self: &Arc<Self>, plan: &mut Option<Plan>) -> sqlx::Result<usize> {
        if !self.pulse.is_fresh(self.settings.lease) {
            return Ok(0);
        }
        let plan = answered(self.patience(), self.current(plan)).await?;
        // A handler with fewer places than sources asks for some of them at a time. Each has been asked for before we
        // rest: an idle source must not keep a busy one waiting.
        let rounds = self.served.iter().map(|served| served.rounds(plan)).max();
        for _ in 0..rounds.unwrap_or_default() {
            let asked: Vec<Asked> = self.served.iter().flat_map(|served| served.ask(plan)).collect();
            if asked.is_empty() {
                break;
            }
            let claimed = self.claim(asked).await?;
            if claimed > 0 {
                return Ok(claimed);
            }
        }
        Ok(0)
    }

    /// Claims for these and starts what was claimed.
    async fn claim(self: &Arc<Self>, mut asked: Vec<Asked>) -> sqlx::Result<usize> {
        let wanted: Vec<(i32, i64)> = asked.iter().map(Asked::wanted).collect();
        let number = self.live.number();
        let claiming = claim::claim(&self.pool, &wanted, self.id, &number, self.settings.lane_claim);
        let claims = answered(self.patience(), claiming).await?;
        let claimed = claims.len();
        for claim in claims {
            let asked = asked.iter_mut().find(|asked| asked.subscription == claim.subscription());
            if let Some((served, place)) = asked.and_then(Asked::take_place) {
                self.running.spawn(Arc::clone(self).start(served, claim, place));
            }
        }
        Ok(claimed)
    }

    async fn start(self: Arc<Self>, served: Arc<Served>, mut claim: Claim, place: OwnedSemaphorePermit) {
        const WHY: &str = "its worker stopped before it ended";
        let (held, token) = (claim.held(), claim.token());
        tokio::select! {
            () = work::work(&self, &served.handler, &mut claim) => {}
            () = self.cut.cancelled() => give_back(&self, held, token, Back::Interrupted(WHY)).await,
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
}
