//! Wake-up: a poke within the process, LISTEN as a hint between processes, the poll as the truth.
//!
//! No NOTIFY inside a data transaction: it serialises commits. An autocommit connection sends them, a few a second at
//! most, however many deliveries there are.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::Notify;

const CHANNEL: &str = "hookgate_wake";
/// At most this often.
const DEBOUNCE: Duration = Duration::from_millis(50);
/// A listener that hears nothing for this long is taken for dead: somebody's health notification is due more often.
const SILENCE: Duration = Duration::from_secs(30);
const RETRY: Duration = Duration::from_secs(2);

/// Passes pokes of this process on to the others. `poked` is this process's signal; `local` is who also waits for it.
pub(crate) async fn announce(pool: PgPool, poked: Arc<Notify>) {
    loop {
        poked.notified().await;
        if let Err(error) = sqlx::query("select pg_notify($1, '')").bind(CHANNEL).execute(&pool).await {
            // The poll finds the work all the same.
            tracing::debug!(%error, "wake.notify_failed");
        }
        tokio::time::sleep(DEBOUNCE).await;
    }
}

/// Wakes the local worker when another process announces work. Reconnects by itself.
pub(crate) async fn listen(pool: PgPool, wake: Arc<Notify>) {
    loop {
        if let Err(error) = hear(&pool, &wake).await {
            tracing::warn!(%error, "wake.listen_lost: polling meanwhile");
        }
        tokio::time::sleep(RETRY).await;
    }
}

async fn hear(pool: &PgPool, wake: &Notify) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    // What was announced while nobody listened.
    wake.notify_one();
    loop {
        match tokio::time::timeout(SILENCE, listener.recv()).await {
            Ok(notification) => {
                notification?;
                wake.notify_one();
            }
            Err(_) => {
                // Our own voice must come back, or the socket is dead without saying so.
                sqlx::query("select pg_notify($1, '')").bind(CHANNEL).execute(pool).await?;
                tokio::time::timeout(RETRY, listener.recv()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
            }
        }
    }
}
