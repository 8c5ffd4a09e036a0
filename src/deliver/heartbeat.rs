//! Says that this worker lives, and knows when it could not.
//!
//! Over a pool that no handler shares: handlers that sit on every connection of theirs must not make their worker look
//! dead.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use sqlx::PgPool;

use super::Worker;
use super::answered::answered;
use super::hand_back::sweep;
use crate::database::single;
use crate::store::workers::{self, Introduction};

/// When this worker last said that it lives, by its own monotonic clock.
#[derive(Debug)]
pub(crate) struct Pulse(Mutex<Instant>);

impl Pulse {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    fn mark(&self, spoken: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = spoken;
    }

    /// Whether our claims surely still hold: three quarters of a lease have not passed since we last spoke.
    pub(crate) fn is_fresh(&self, lease: Duration) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).elapsed() < lease.mul_f64(0.75)
    }
}

/// Introduces the worker, so that its first claim already has a heartbeat behind it.
pub(crate) async fn introduce(worker: &Worker, pool: &PgPool) -> sqlx::Result<()> {
    let introduction = Introduction {
        id: worker.id,
        host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        release: worker.settings.release,
        config_hash: worker.settings.config_hash.clone(),
        handlers: worker.served.iter().map(|served| served.handler.name.to_string()).collect(),
    };
    let spoken = Instant::now();
    let mut conn = single(pool).await?;
    workers::introduce(&mut conn, &introduction).await?;
    conn.done().await?;
    worker.pulse.mark(spoken);
    Ok(())
}

/// Beats until dropped, and looks after each beat for claims that no task knows of.
pub(crate) async fn beat(worker: &Worker, pool: &PgPool) {
    let mut interval = tokio::time::interval(worker.settings.heartbeat);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        if let Err(error) = say(worker, pool).await {
            tracing::warn!(%error, "heartbeat.failed");
            continue;
        }
        if let Err(error) = answered(worker.patience(), sweep(worker, pool)).await {
            tracing::warn!(%error, "claim.sweep_failed");
        }
    }
}

/// The moment before the statement counts, not the one after: a slow answer must not make the lease look longer than the
/// database sees it. One that does not come is given up while the lease leaves time for another.
async fn say(worker: &Worker, pool: &PgPool) -> sqlx::Result<()> {
    let spoken = Instant::now();
    let within = worker.patience() / 2;
    let beat = async {
        let mut conn = single(pool).await?;
        let known = workers::beat(&mut conn, worker.id).await?;
        conn.done().await?;
        Ok::<_, sqlx::Error>(known)
    };
    let known = answered(within, beat).await?;
    if known {
        worker.pulse.mark(spoken);
        return Ok(());
    }
    answered(within, introduce(worker, pool)).await
}
