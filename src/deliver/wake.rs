//! Wake-up: a poke within the process, LISTEN as a hint between processes, the poll as the truth.
//!
//! No NOTIFY inside a data transaction: it serialises commits. An autocommit connection sends them, a few a second at
//! most, however many deliveries there are.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::Notify;

use super::answered::answered;
use crate::store::session;

const CHANNEL: &str = "hookgate_wake";
/// At most this often.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// A listener that hears nothing for this long is taken for dead: somebody's health notification is due more often.
const SILENCE: Duration = Duration::from_secs(30);
const RETRY: Duration = Duration::from_secs(2);
/// A notification is answered at once or not at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// "There may be work", within this process and on its way to the others. A poke is remembered until it is heard, so
/// one that comes between a look and the rest that follows is not lost.
#[derive(Debug, Default)]
pub(crate) struct Wake {
    local: Notify,
    outward: Notify,
}

impl Wake {
    /// New work was committed.
    pub(crate) fn poke(&self) {
        self.local.notify_one();
        self.outward.notify_one();
    }

    /// Something this process alone need know: a place became free, or another process spoke.
    pub(crate) fn poke_local(&self) {
        self.local.notify_one();
    }

    pub(crate) async fn poked(&self) {
        self.local.notified().await;
    }
}

/// Passes pokes of this process on to the others, so that a worker elsewhere need not wait for its poll.
pub(crate) async fn announce(pool: PgPool, wake: Arc<Wake>) {
    loop {
        wake.outward.notified().await;
        if let Err(error) = notify(&pool).await {
            // The poll finds the work all the same.
            tracing::debug!(%error, "wake.notify_failed");
        }
        tokio::time::sleep(DEBOUNCE).await;
    }
}

async fn notify(pool: &PgPool) -> sqlx::Result<()> {
    answered(PATIENCE, session::notify(pool, CHANNEL)).await
}

/// Wakes the local worker when another process announces work. Reconnects by itself.
pub(crate) async fn listen(pool: PgPool, wake: Arc<Wake>) {
    loop {
        if let Err(error) = hear(&pool, &wake).await {
            tracing::warn!(%error, "wake.listen_lost: polling meanwhile");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn hear(pool: &PgPool, wake: &Wake) -> sqlx::Result<()> {
    // From a pool of its own: a dropped listener says goodbye and waits for the answer. Where the database's host is gone
    // without a word that is for ever, and would cost the workers a connection each time.
    let own = PgPoolOptions::new().max_connections(1).connect_lazy_with((*pool.connect_options()).clone());
    let mut listener = PgListener::connect_with(&own).await?;
    listener.listen(CHANNEL).await?;
    // What was announced while nobody listened.
    wake.poke_local();
    loop {
        match tokio::time::timeout(SILENCE, listener.recv()).await {
            Ok(notification) => {
                notification?;
                wake.poke_local();
            }
            Err(_) => {
                // Our own voice must come back, or the socket is dead without saying so.
                notify(pool).await?;
                tokio::time::timeout(RETRY, listener.recv()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
            }
        }
    }
}
