//! Says that this worker lives, and knows when it could not.
//!
//! Over a pool that no handler shares: handlers that sit on every connection of theirs must not make their worker look
//! dead.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use sqlx::PgPool;

use super::Worker;
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
    let mut conn = pool.acquire().await?;
    workers::introduce(&mut conn, &introduction).await?;
    worker.pulse.mark(spoken);
    Ok(())
}

/// Beats until dropped. The moment before the statement counts, not the one after: a slow answer must not make the
/// lease look longer than the database sees it.
pub(crate) async fn beat(worker: &Worker, pool: &PgPool) {
    let mut interval = tokio::time::interval(worker.settings.heartbeat);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        let spoken = Instant::now();
        match once(worker, pool).await {
            Ok(true) => worker.pulse.mark(spoken),
            Ok(false) => {
                if let Err(error) = introduce(worker, pool).await {
                    tracing::warn!(%error, "heartbeat.failed");
                }
            }
            Err(error) => tracing::warn!(%error, "heartbeat.failed"),
        }
    }
}

async fn once(worker: &Worker, pool: &PgPool) -> sqlx::Result<bool> {
    let mut conn = pool.acquire().await?;
    workers::beat(&mut conn, worker.id).await
}
