//! Breakers as operators see them.

use serde::Serialize;
use sqlx::{FromRow, PgConnection};

use super::Stamp;

/// A destination or dependency that ever failed.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct BreakerRow {
    pub(crate) name: String,
    /// `closed`, `open`, or `half_open` while one claim tries it.
    pub(crate) state: String,
    /// In a row, up to the last opening or until now.
    pub(crate) failures: i32,
    /// Since it was closed last.
    pub(crate) openings: i32,
    pub(crate) opened_at: Option<Stamp>,
    /// When the next job may try it.
    pub(crate) open_until: Option<Stamp>,
    pub(crate) closed_at: Option<Stamp>,
}

/// All of them by name, those that are not closed first.
pub(crate) async fn all(conn: &mut PgConnection) -> sqlx::Result<Vec<BreakerRow>> {
    sqlx::query_as(
        "select name, state, failures, openings, opened_at, open_until, closed_at
           from hookgate.breakers order by state = 'closed', name limit 1000",
    )
    .fetch_all(conn)
    .await
}
