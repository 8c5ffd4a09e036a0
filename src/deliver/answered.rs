//! Bounds what this side waits for the database.
//!
//! The server's own timeouts end nothing when its host is gone without a word: no answer comes, and no error either. To
//! give up drops the connection, and the pool closes one that goes on being silent.

use std::io;
use std::time::Duration;

/// However short the lease, a busy database is not taken for a dead one sooner.
const SHORTEST: Duration = Duration::from_secs(2);

/// Longer than any settle may hold the lane that ours waits for, and well within a lease of the usual length.
pub(super) fn patience(lease: Duration) -> Duration {
    (lease / 2).max(SHORTEST)
}

/// The exchange's answer, or an I/O error if it takes longer than this. Whether the database carried it out is then not
/// known.
pub(super) async fn answered<T, E: From<sqlx::Error>>(
    within: Duration,
    exchange: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    tokio::time::timeout(within, exchange).await.unwrap_or_else(|_| {
        let text = format!("the database did not answer within {within:?}");
        Err(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, text)).into())
    })
}
