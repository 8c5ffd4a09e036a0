//! Breakers as one process sees them: what their rows said a moment ago, and the way back to the rows.
//!
//! A closed breaker costs nothing but a look at its name a second. It is written when something fails, and when something
//! succeeds for the first time after that. Trouble with the database here holds nobody up: the breaker is then taken for
//! what it was.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Breaker, Policy, Report, State, later};
use crate::database::{begin, single};
use crate::deliver::Wake;
use crate::store::Token;
use crate::store::breakers::{self as store, Named};

/// What another gateway did is known here after this.
const STALE: Duration = Duration::from_secs(1);

/// A report that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether something may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Yes.
    Closed,
    /// Not before this is over.
    Open(Duration),
    /// By whoever gets the one try.
    Due,
}

/// The breakers of this process's destinations and dependencies.
pub(crate) struct Breakers {
    /// One that no handler shares: handlers that sit on every connection of theirs must not keep it from being read.
    pool: PgPool,
    policy: Policy,
    wake: Arc<Wake>,
    /// What is cut off after this says nothing about its destination.
    cut: CancellationToken,
    turn: Semaphore,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    read_at: Option<Instant>,
    names: BTreeSet<String>,
    known: HashMap<String, Known>,
}

#[derive(Clone, Copy)]
struct Known {
    breaker: Breaker,
    /// The database's time then.
    now: DateTime<Utc>,
    at: Instant,
}

impl Known {
    fn of(named: &Named) -> Self {
        Self { breaker: named.breaker, now: named.now, at: Instant::now() }
    }

    /// The database's time now, carried on by our own clock.
    fn now(&self) -> DateTime<Utc> {
        later(self.now, self.at.elapsed())
    }
}

impl Breakers {
    pub(crate) fn new(pool: PgPool, policy: Policy, wake: Arc<Wake>, cut: CancellationToken) -> Self {
        Self { pool, policy, wake, cut, turn: Semaphore::new(1), seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an eye on this one from now on.
    pub(crate) fn watch(&self, name: &str) {
        let mut seen = self.seen();
        if !seen.names.contains(name) {
            seen.names.insert(name.to_owned());
            seen.read_at = None;
        }
    }

    /// Reads the rows of what is watched, if that was not done just now.
    pub(crate) async fn refresh(&self) {
        let names: Vec<String> = {
            let mut seen = self.seen();
            if seen.names.is_empty() || seen.read_at.is_some_and(|at| at.elapsed() < STALE) {
                return;
            }
            // Now, so that of many who find it stale at once one reads.
            seen.read_at = Some(Instant::now());
            seen.names.iter().cloned().collect()
        };
        let began = Instant::now();
        let read = async { store::read(&mut *single(&self.pool).await?, &names).await };
        match bounded(read).await {
            Ok(rows) => {
                let mut seen = self.seen();
                // What was written here meanwhile may not have been seen by the read.
                seen.known.retain(|_, known| known.at >= began);
                for named in &rows {
                    seen.known.entry(named.name.clone()).or_insert_with(|| Known::of(named));
                }
            }
            Err(error) => tracing::debug!(%error, "breaker.unread"),
        }
    }

    /// Has the next look read the rows.
    pub(crate) fn doubt(&self) {
        self.seen().read_at = None;
    }

    fn known(&self, name: &str) -> Option<Known> {
        self.seen().known.get(name).copied()
    }

    pub(crate) fn standing(&self, name: &str) -> Standing {
        let Some(known) = self.known(name).filter(|known| known.breaker.state != State::Closed) else {
            return Standing::Closed;
        };
        let now = known.now();
        let left = |until: Option<DateTime<Utc>>| until.and_then(|until| (until - now).to_std().ok());
        match (left(known.breaker.open_until), left(known.breaker.probe.map(|probe| probe.until))) {
            (Some(left), _) if !left.is_zero() => Standing::Open(left),
            // It may end much sooner than it is given up.
            (_, Some(left)) if !left.is_zero() => Standing::Open(left.min(STALE)),
            _ => Standing::Due,
        }
    }

    /// For how long it has been closed, if it was ever open: what was held up by it before that is not to blame.
    pub(crate) fn closed_for(&self, name: &str) -> Option<Duration> {
        let known = self.known(name)?;
        if known.breaker.state != State::Closed {
            return Some(Duration::ZERO);
        }
        known.breaker.closed_at.map(|at| (known.now() - at).to_std().unwrap_or_default())
    }

    /// Whether `by` may call it now, and if that is the one try. Otherwise how long to stay away.
    pub(crate) async fn enter(&self, name: &str, by: Token, lasting: Duration) -> Result<bool, Duration> {
        self.watch(name);
        self.refresh().await;
        match self.standing(name) {
            Standing::Closed => Ok(false),
            Standing::Open(left) => Err(left),
            Standing::Due => match bounded(self.try_it(name, by, lasting)).await {
                Ok(Some(is_probe)) => Ok(is_probe),
                Ok(None) => Err(STALE),
                Err(error) => {
                    tracing::warn!(%error, breaker = name, "breaker.untried");
                    Err(STALE)
                }
            },
        }
    }

    /// Transaction: of all who come when its time is over, the one whose commit notes it first tries it. `None`: that is
    /// another one.
    async fn try_it(&self, name: &str, by: Token, lasting: Duration) -> sqlx::Result<Option<bool>> {
        let mut tx = begin(&self.pool).await?;
        let Some(mut named) = store::lock_known(&mut tx, name).await? else {
            return Ok(Some(false));
        };
        let tried = named.breaker.probed(by, later(named.now, lasting), named.now);
        if let Some(tried) = tried {
            store::write(&mut tx, name, &tried).await?;
            tx.commit().await?;
            named.breaker = tried;
        }
        self.learn(&named);
        Ok(match (tried, named.breaker.state) {
            (Some(_), _) => Some(true),
            (None, State::Closed) => Some(false),
            (None, _) => None,
        })
    }

    /// Says how a call ended, where that is worth a word.
    pub(crate) async fn report(&self, name: &str, by: Token, report: Report, is_probe: bool) {
        if !self.is_news(name, report, is_probe) {
            return;
        }
        let written = bounded(async {
            // One connection at a time: a storm of failures must leave some for saying that this worker lives.
            let _turn = self.turn.acquire().await.map_err(|_| sqlx::Error::PoolClosed)?;
            if self.is_news(name, report, is_probe) { self.write(name, by, report).await } else { Ok(()) }
        });
        if let Err(error) = written.await {
            tracing::warn!(%error, breaker = name, "breaker.unreported");
        }
    }

    fn is_news(&self, name: &str, report: Report, is_probe: bool) -> bool {
        let known = self.known(name).map(|known| known.breaker).unwrap_or_default();
        match report {
            _ if is_probe => true,
            Report::Failed { .. } => known.state == State::Closed,
            Report::Succeeded => known.state == State::Closed && known.failures > 0,
            Report::Unclear => false,
        }
    }

    /// Transaction: what is decided of a breaker and what it was decided from are of one moment.
    async fn write(&self, name: &str, by: Token, report: Report) -> sqlx::Result<()> {
        let mut tx = begin(&self.pool).await?;
        let mut named = store::lock(&mut tx, name).await?;
        let after = named.breaker.after(report, by, named.now, &self.policy);
        if after != named.breaker {
            store::write(&mut tx, name, &after).await?;
        }
        tx.commit().await?;
        let before = std::mem::replace(&mut named.breaker, after);
        self.learn(&named);
        self.tell(name, before.state, &after);
        Ok(())
    }

    fn tell(&self, name: &str, before: State, after: &Breaker) {
        match (before, after.state) {
            (State::Closed | State::HalfOpen, State::Open) => {
                let until = after.open_until.map(|until| until.to_rfc3339());
                tracing::warn!(
                    breaker = name,
                    until,
                    openings = after.openings,
                    "breaker.opened: it is left alone until then"
                );
            }
            (State::Open | State::HalfOpen, State::Closed) => {
                tracing::info!(breaker = name, "breaker.closed: it answers again");
            }
            _ => return,
        }
        self.wake.poke_local();
    }

    /// What was just read or written under its lock.
    pub(crate) fn learn(&self, named: &Named) {
        self.seen().known.insert(named.name.clone(), Known::of(named));
    }

    /// A call was dropped before it ended: its handler's time was over. Not if it was our own that was.
    pub(crate) fn report_dropped(self: Arc<Self>, name: String, by: Token, is_probe: bool) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let report = if self.cut.is_cancelled() { Report::Unclear } else { Report::Failed { unavailable_for: None } };
        runtime.spawn(async move { self.report(&name, by, report, is_probe).await });
    }
}

impl std::fmt::Debug for Breakers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Breakers").field("policy", &self.policy).finish_non_exhaustive()
    }
}

async fn bounded<T>(exchange: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    tokio::time::timeout(PATIENCE, exchange).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}
