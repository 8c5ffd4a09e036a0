//! **Deliver**: wake → claim → run → decide → settle.
//!
//! Promise: within a lane jobs run one at a time in received order; a handler's effects and its completion commit
//! together or not at all; a worker that lost its claim changes nothing.
//!
//! A worker says that it lives every `heartbeat`; one silent for `lease` loses its claims to whoever rescues them. A
//! worker that can't say so stops starting jobs before its lease is over, so that a partition costs a retry, not a
//! double run.

mod answered;
mod bucket;
pub(crate) mod claim;
mod execute;
mod hand_back;
mod heartbeat;
mod live;
#[cfg(test)]
mod model;
mod paused;
mod permit;
mod record;
pub(crate) mod rescue;
mod served;
mod settle;
pub(crate) mod share;
mod suspects;
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
use crate::breaker::{self, Breakers};
use crate::database::{Pools, single};
use crate::handler::{Handler, State};
use crate::registry::{self, Plan};
use crate::telemetry;
use answered::answered;
use claim::Claim;
use hand_back::{Back, give_back};
use live::Live;
use paused::Paused;
use served::{Asked, Asking, Served};
use suspects::Suspects;

pub(crate) use bucket::Limit;
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
    /// Parts of live work, retries and replays.
    pub(crate) shares: [u32; 3],
    pub(crate) breaker: breaker::Policy,
}

/// However soon something is due, the database is not asked more often.
const SHORTEST_REST: Duration = Duration::from_millis(5);

/// What a look for work found.
enum Looked {
    Claimed,
    Nothing {
        /// When something is known to be due, sooner than by the poll.
        again_in: Option<Duration>,
    },
}

fn sooner(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    a.into_iter().chain(b).min()
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
    pub(crate) breakers: Arc<Breakers>,
    /// Who waits in this process for what a handler answers.
    answers: Arc<Answers>,
    served: Vec<Arc<Served>>,
    live: Arc<Live>,
    paused: Paused,
    suspects: Suspects,
    running: TaskTracker,
}

impl Worker {
    pub(crate) fn new(
        pools: &Pools,
        settings: Settings,
        handlers: Vec<Handler>,
        state: Arc<State>,
        (wake, answers): (Arc<Wake>, Arc<Answers>),
        stop: CancellationToken,
    ) -> Self {
        let cut = CancellationToken::new();
        let breakers = Breakers::new(pools.operator.clone(), settings.breaker, Arc::clone(&wake), cut.clone());
        handlers.iter().filter_map(|handler| handler.breaker.as_ref()).for_each(|name| breakers.watch(name));
        let served = handlers.into_iter().map(|handler| Arc::new(Served::new(handler, settings.shares))).collect();
        Self {
            id: Uuid::new_v4(),
            pool: pools.worker.clone(),
            settings,
            state,
            wake,
            stop,
            cut,
            pulse: Pulse::new(),
            breakers: Arc::new(breakers),
            answers,
            served,
            live: Arc::default(),
            paused: Paused::default(),
            suspects: Suspects::default(),
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
                Ok(Looked::Claimed) => {}
                Ok(Looked::Nothing { again_in }) => self.rest(again_in).await,
                Err(error) => {
                    metrics::counter!(telemetry::CLAIM_FAILURES).increment(1);
                    tracing::warn!(%error, "claim.failed");
                    self.rest(None).await;
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

    /// Until there may be work: at the latest after `again_in`, where something is known to be due then.
    async fn rest(&self, again_in: Option<Duration>) {
        let poll = self.settings.poll;
        tokio::select! {
            () = self.wake.poked() => {}
            () = self.stop.cancelled() => {}
            () = tokio::time::sleep(again_in.map_or(poll, |soon| soon.clamp(SHORTEST_REST, poll.max(SHORTEST_REST)))) => {}
        }
    }

    /// What the database is given to answer in.
    fn patience(&self) -> Duration {
        answered::patience(self.settings.lease)
    }

    /// Looks for work once, for every handler with free places that nothing else holds back.
    async fn look(self: &Arc<Self>, plan: &mut Option<Plan>) -> sqlx::Result<Looked> {
        if !self.pulse.is_fresh(self.settings.lease) {
            return Ok(Looked::Nothing { again_in: None });
        }
        let plan = answered(self.patience(), self.current(plan)).await?;
        self.breakers.refresh().await;
        let (mut asked, mut again_in) = (Vec::new(), None);
        for served in &self.served {
            match served.ask(plan, &self.breakers) {
                Asking::This(this) => asked.push(this),
                Asking::NotNow(wait) => again_in = sooner(again_in, wait),
            }
        }
        if asked.is_empty() {
            return Ok(Looked::Nothing { again_in });
        }
        self.claim(asked, again_in).await
    }

    /// Claims for these and starts what was claimed.
    async fn claim(self: &Arc<Self>, mut asked: Vec<Asked>, mut again_in: Option<Duration>) -> sqlx::Result<Looked> {
        let number = self.live.number();
        let claimed = answered(self.patience(), claim::claim(self, &asked, &number)).await?;
        for (asked, got) in asked.iter().zip(&claimed.got) {
            asked.got(got);
            again_in = sooner(again_in, got.dry_for);
            if asked.probes().is_some() && got.dry_for.is_some() {
                self.breakers.doubt();
            }
        }
        again_in = sooner(again_in, claimed.again_in);
        let is_empty = claimed.claims.is_empty();
        for claim in claimed.claims {
            let asked = asked.iter_mut().find(|asked| asked.has(claim.subscription()));
            if let Some((served, place)) = asked.and_then(Asked::take_place) {
                self.running.spawn(Arc::clone(self).start(served, claim, place));
            }
        }
        Ok(if is_empty { Looked::Nothing { again_in } } else { Looked::Claimed })
    }

    async fn start(self: Arc<Self>, served: Arc<Served>, mut claim: Claim, place: OwnedSemaphorePermit) {
        const WHY: &str = "its worker stopped before it ended";
        let (held, token) = (claim.held(), claim.token());
        tokio::select! {
            () = work::work(&self, &served.handler, &mut claim) => {}
            () = self.cut.cancelled() => give_back(&self, held, token, Back::Interrupted(WHY)).await,
        }
        // The claim too: whoever looks now may run a suspect again.
        drop((place, claim));
        // A place is free, and the lane may have more.
        self.wake.poke_local();
    }

    /// The registry, read again when it moved on: a new source may have new subscriptions of our handlers. And what is
    /// paused, where that changed.
    async fn current<'a>(&self, plan: &'a mut Option<Plan>) -> sqlx::Result<&'a Plan> {
        let generation = {
            let mut conn = single(&self.pool).await?;
            let dates = crate::store::registry::dates(&mut conn).await?;
            if !self.paused.is_of(dates) {
                self.paused.learn(dates, crate::store::pauses::subscriptions(&mut conn).await?);
            }
            dates.0
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
