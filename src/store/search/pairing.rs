//! The window and the paired secrets of a source, without the secrets.

use serde::Serialize;
use sqlx::{FromRow, PgConnection};

use super::Stamp;

/// The last window that was opened for a source.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct WindowRow {
    pub(crate) opened_at: Stamp,
    pub(crate) opened_by: String,
    pub(crate) closes_at: Stamp,
    /// Whether it takes a secret now.
    pub(crate) open: bool,
    /// The secret it took.
    pub(crate) secret: Option<i16>,
}

/// The source's window, if one was ever opened.
pub(crate) async fn window(conn: &mut PgConnection, source: &str) -> sqlx::Result<Option<WindowRow>> {
    sqlx::query_as(
        "select w.opened_at, w.opened_by, w.closes_at, w.secret,
                w.secret is null and w.closes_at > clock_timestamp() as open
           from hookgate.pairing_windows w join hookgate.sources s on s.id = w.source
          where s.name = $1",
    )
    .bind(source)
    .fetch_optional(conn)
    .await
}

/// A paired secret, without itself.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct SecretRow {
    /// What deliveries name it by.
    pub(crate) number: i16,
    #[serde(skip)]
    pub(crate) key_id: Vec<u8>,
    pub(crate) paired_at: Stamp,
    /// Who opened the window it came in.
    pub(crate) opened_by: String,
    pub(crate) forgotten_at: Option<Stamp>,
}

/// The source's paired secrets, newest first, with those that were forgotten.
pub(crate) async fn secrets(conn: &mut PgConnection, source: &str) -> sqlx::Result<Vec<SecretRow>> {
    sqlx::query_as(
        "select p.number, p.key_id, p.paired_at, p.opened_by, p.forgotten_at
           from hookgate.paired_secrets p join hookgate.sources s on s.id = p.source
          where s.name = $1 order by p.number desc",
    )
    .bind(source)
    .fetch_all(conn)
    .await
}
