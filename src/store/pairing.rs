//! `pairing_windows` and `paired_secrets`: when a source may take a secret from a handshake, and those it took, sealed.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};

use crate::sealing::Sealed;

/// The number of a source's first paired secret: beyond any place in a configuration.
const FIRST: i16 = 100;

/// A window, as a handshake finds it.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Window {
    pub(crate) source: i32,
    pub(crate) opened_by: String,
    /// By the database's clock.
    pub(crate) is_open: bool,
    /// The secret it took.
    pub(crate) secret: Option<i16>,
}

/// Opens a source's window, in place of the one before. `None`: no such source.
pub(crate) async fn open(
    conn: &mut PgConnection,
    source: &str,
    length: Duration,
    opened_by: &str,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    sqlx::query_scalar(
        "insert into hookgate.pairing_windows (source, opened_at, opened_by, closes_at)
         select id, clock_timestamp(), $3, clock_timestamp() + $2 * interval '1 millisecond'
           from hookgate.sources where name = $1
             on conflict (source) do update
            set opened_at = excluded.opened_at, opened_by = excluded.opened_by, closes_at = excluded.closes_at,
                secret = null
         returning closes_at",
    )
    .bind(source)
    .bind(length.as_millis() as f64)
    .bind(opened_by)
    .fetch_optional(conn)
    .await
}

/// Locks a source's window, so that of two handshakes at once one finds it used.
pub(crate) async fn lock(conn: &mut PgConnection, source: &str) -> sqlx::Result<Option<Window>> {
    sqlx::query_as(
        "select w.source, w.opened_by, w.closes_at > clock_timestamp() as is_open, w.secret
           from hookgate.pairing_windows w join hookgate.sources s on s.id = w.source
          where s.name = $1 for no key update of w",
    )
    .bind(source)
    .fetch_optional(conn)
    .await
}

/// The number of the source's next secret. The caller holds the window, so nobody else takes it.
pub(crate) async fn next_number(conn: &mut PgConnection, source: i32) -> sqlx::Result<i16> {
    sqlx::query_scalar(
        "select (coalesce(max(number), $2 - 1) + 1)::smallint from hookgate.paired_secrets where source = $1",
    )
    .bind(source)
    .bind(FIRST)
    .fetch_one(conn)
    .await
}

/// Stores the secret that a locked window took, and notes it there: the window is used up.
pub(crate) async fn take(conn: &mut PgConnection, window: &Window, number: i16, sealed: &Sealed) -> sqlx::Result<()> {
    sqlx::query(
        "with taken as (
             insert into hookgate.paired_secrets (source, number, key_id, sealed, paired_at, opened_by)
             values ($1, $2, $3, $4, clock_timestamp(), $5)
         )
         update hookgate.pairing_windows set secret = $2 where source = $1",
    )
    .bind(window.source)
    .bind(number)
    .bind(sealed.key.as_slice())
    .bind(&sealed.bytes)
    .bind(&window.opened_by)
    .execute(conn)
    .await?;
    Ok(())
}

/// A stored secret.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Row {
    pub(crate) source: String,
    pub(crate) number: i16,
    pub(crate) key_id: Vec<u8>,
    pub(crate) sealed: Vec<u8>,
}

/// Every paired secret that was not forgotten, of these sources, newest first.
pub(crate) async fn all(conn: &mut PgConnection, sources: &[String]) -> sqlx::Result<Vec<Row>> {
    sqlx::query_as(
        "select s.name as source, p.number, p.key_id, p.sealed
           from hookgate.paired_secrets p join hookgate.sources s on s.id = p.source
          where s.name = any($1) and p.sealed is not null
          order by s.name, p.number desc",
    )
    .bind(sources)
    .fetch_all(conn)
    .await
}

/// Wipes a secret; its number stays taken. `false`: there is none of this number, or it is gone already.
pub(crate) async fn forget(conn: &mut PgConnection, source: &str, number: i16) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "update hookgate.paired_secrets p set sealed = null, forgotten_at = clock_timestamp()
           from hookgate.sources s
          where s.id = p.source and s.name = $1 and p.number = $2 and p.sealed is not null",
    )
    .bind(source)
    .bind(number)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
