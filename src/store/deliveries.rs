//! `deliveries`: the requests, as received.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::record::NewDelivery;

/// A stored request, with what its provider said of it.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Stored {
    pub(crate) id: Uuid,
    pub(crate) source: String,
    pub(crate) provider: String,
    pub(crate) received_at: DateTime<Utc>,
    pub(crate) target: String,
    pub(crate) headers: Vec<u8>,
    pub(crate) body: Vec<u8>,
    pub(crate) content_type: Option<String>,
    pub(crate) provider_id: Option<String>,
    pub(crate) event_type: Option<String>,
    pub(crate) ordering_key: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) batch: Option<serde_json::Value>,
}

/// The delivery with its payload; `None` once it was purged.
pub(crate) async fn load(conn: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<Stored>> {
    sqlx::query_as(
        "select d.id, s.name as source, s.provider, d.received_at, d.target, d.headers, d.body, d.content_type, d.provider_id,
                d.event_type, d.ordering_key, d.version, d.batch
           from hookgate.deliveries d join hookgate.sources s on s.id = d.source
          where d.id = $1",
    )
    .bind(id)
    .fetch_optional(conn)
    .await
}

/// Stores a delivery whose event `event` reused the id of one of `original` with another body. No jobs: an operator
/// releases it.
pub(crate) async fn insert_conflict(
    conn: &mut PgConnection,
    d: &NewDelivery<'_>,
    event: i32,
    original: Uuid,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into hookgate.deliveries as kept
                (retention, id, source, received_at, method, target, headers, body, content_type, secret,
                 provider_id, event_type, ordering_key, version, events, batch, conflict_with, filtered, own)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $19,
                 case when $15 > 1 then array[$18::int] end)
             -- It is there already where other events of it are new, or in conflict too.
             on conflict (id, retention) do update set own = kept.own || excluded.own
          where excluded.own is not null and not kept.own @> excluded.own",
    )
    .bind(d.retention)
    .bind(d.id)
    .bind(d.source)
    .bind(d.received_at)
    .bind(d.method)
    .bind(d.target)
    .bind(d.headers)
    .bind(d.body)
    .bind(d.content_type)
    .bind(d.secret)
    .bind(d.provider_id)
    .bind(d.event_type)
    .bind(d.ordering_key)
    .bind(d.version)
    .bind(d.events)
    .bind(d.batch)
    .bind(original)
    .bind(event)
    .bind(&d.filtered)
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the row against a second replay at the same moment; `None` once it was purged.
pub(crate) async fn lock(conn: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<Locked>> {
    sqlx::query_as(
        "select source, retention, event_type, ordering_key, version, events, batch, own, filtered
           from hookgate.deliveries where id = $1 for no key update",
    )
    .bind(id)
    .fetch_optional(conn)
    .await
}

/// What a replay plans with.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Locked {
    pub(crate) source: i32,
    pub(crate) retention: String,
    pub(crate) event_type: Option<String>,
    pub(crate) ordering_key: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) events: i32,
    pub(crate) batch: Option<serde_json::Value>,
    /// Which of several events are this delivery's to run; `None`: all.
    pub(crate) own: Option<Vec<i32>>,
    /// The subscriptions that a condition kept an event from; of a batch, `batch` says which event.
    pub(crate) filtered: Option<Vec<i32>>,
}
