//! Bounds what ingest waits for its database.
//!
//! The server's own timeouts end nothing when its host is gone without a word: no answer comes, and no error either.
//! Whoever waited for it would wait for ever, and the connection, given back, would be handed to the next.

use std::io;
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Connection, Postgres};

/// The `statement_timeout` of ingest sessions, and a second for the way: a server that lives has answered by then.
const ANSWER: Duration = Duration::from_secs(3);
/// A ping has nothing to wait for but the way.
const PING: Duration = Duration::from_secs(1);

/// The exchange's outcome, or an I/O error if none comes. Whether the database carried it out is then not known.
pub(super) async fn answered<T>(exchange: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    within(ANSWER, exchange).await
}

/// Gives a connection back to its pool, or closes it if it was silent: the pool would ask it whether it lives, and wait.
pub(super) fn give_back<T>(conn: PoolConnection<Postgres>, outcome: &sqlx::Result<T>) {
    if matches!(outcome, Err(sqlx::Error::Io(_))) {
        drop(conn.detach());
    }
}

/// The connection, if it answers; else it is closed.
pub(super) async fn living(mut conn: PoolConnection<Postgres>) -> Option<PoolConnection<Postgres>> {
    if within(PING, conn.ping()).await.is_ok() {
        return Some(conn);
    }
    drop(conn.detach());
    None
}

async fn within<T>(limit: Duration, exchange: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
    let silent = |_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into()));
    tokio::time::timeout(limit, exchange).await.unwrap_or_else(silent)
}
