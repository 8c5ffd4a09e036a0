//! Database time, without asking the database each time.
//!
//! Delivery ids carry a time, and partitions and retention are ranges of ids, so a gateway whose clock is wrong must
//! not stamp them. Each T1 returns the database's time; between two of them the monotonic clock carries it on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgPool;
use uuid::{ContextV7, Timestamp, Uuid};

use crate::database::single;
use crate::store::partitions;

/// How far apart two looks at the database's clock are.
const TICK: Duration = Duration::from_secs(5);

/// Stamps delivery ids with database time, rising within this process.
#[derive(Debug)]
pub(crate) struct DatabaseClock {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    seen: DateTime<Utc>,
    at: Instant,
    sequence: ContextV7,
}

impl DatabaseClock {
    /// Starts from a time the database just gave.
    pub(crate) fn new(now: DateTime<Utc>) -> Self {
        Self { state: Mutex::new(State { seen: now, at: Instant::now(), sequence: ContextV7::new() }) }
    }

    /// Notes a time that the database just gave.
    pub(crate) fn sync(&self, now: DateTime<Utc>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.seen = now;
        state.at = Instant::now();
    }

    /// Database time, as far as this process knows.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).now()
    }

    /// A fresh delivery id, and the time it carries.
    pub(crate) fn stamp(&self) -> (Uuid, DateTime<Utc>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = state.now();
        let seconds = now.timestamp().max(0) as u64;
        let stamp = Timestamp::from_unix(&state.sequence, seconds, now.timestamp_subsec_nanos());
        (Uuid::new_v7(stamp), now)
    }
}

/// Keeps the clock right while nothing is recorded, until dropped.
///
/// The monotonic clock stands still while its machine sleeps. Then every fresh signature looks like one from the future,
/// so nothing gets as far as T1, and nothing else would ever put the clock right.
pub(crate) async fn keep(clock: Arc<DatabaseClock>, pool: PgPool) {
    let mut ticks = tokio::time::interval(TICK);
    loop {
        ticks.tick().await;
        match tokio::time::timeout(TICK, ask(&pool)).await {
            Ok(Ok(now)) => clock.sync(now),
            Ok(Err(error)) => tracing::warn!(%error, "clock.not_synced"),
            Err(_) => tracing::warn!("clock.not_synced: the database did not answer"),
        }
    }
}

async fn ask(pool: &PgPool) -> sqlx::Result<DateTime<Utc>> {
    partitions::now(&mut *single(pool).await?).await
}

impl State {
    fn now(&self) -> DateTime<Utc> {
        self.seen + TimeDelta::from_std(self.at.elapsed()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_and_carry_database_time() {
        let start = DateTime::parse_from_rfc3339("2031-05-06T07:08:09Z").unwrap().to_utc();
        let clock = DatabaseClock::new(start);
        let ids: Vec<Uuid> = (0..1000).map(|_| clock.stamp().0).collect();
        assert!(ids.is_sorted(), "received order is id order");
        let (seconds, _) = ids[0].get_timestamp().unwrap().to_unix();
        assert!(seconds.abs_diff(start.timestamp() as u64) <= 1);
    }
}
