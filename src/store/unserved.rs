//! Handlers whose code no live worker has: their jobs wait, and somebody should know.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};

/// A rolling deploy or a crash leaves a handler without a worker for a moment; what lasts longer is told.
pub(crate) const TOLERATED: Duration = Duration::from_secs(60);

/// Notes since when each handler has had no live worker. Writes only where that changed.
pub(crate) async fn note(conn: &mut PgConnection, lease: Duration) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.handlers h
            set unserved_since = case when w.served then null else clock_timestamp() end, unserved_told = false
           from (select h.id, h.retired_at is not null
                        or exists (select from hookgate.workers w
                                    where h.name = any(w.handlers)
                                      and w.heartbeat_at >= clock_timestamp() - $1 * interval '1 millisecond') as served
                   from hookgate.handlers h) w
          where h.id = w.id and (h.unserved_since is null) <> w.served",
    )
    .bind(lease.as_millis() as f64)
    .execute(conn)
    .await?;
    Ok(())
}

/// A handler without a worker for longer than is tolerated, which has jobs.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Unserved {
    pub(crate) handler: String,
    pub(crate) since: DateTime<Utc>,
    pub(crate) jobs: i64,
}

/// Those that nobody told of yet, marked as told: of several gateways one gets each. Whether a handler has jobs is one look
/// into each of two indexes; they are counted only for those that are told.
pub(crate) async fn tell(conn: &mut PgConnection) -> sqlx::Result<Vec<Unserved>> {
    sqlx::query_as(
        "update hookgate.handlers h set unserved_told = true
          where not h.unserved_told and h.unserved_since < clock_timestamp() - $1 * interval '1 millisecond'
            and exists (select from hookgate.subscriptions u
                         where u.handler = h.id
                           and (exists (select from hookgate.jobs where subscription = u.id and lane is null)
                                or exists (select from hookgate.lanes where subscription = u.id and state = 'ready')))
         returning h.name as handler, h.unserved_since as since,
                   (select count(*) from hookgate.jobs
                     where subscription = any(array(select id from hookgate.subscriptions where handler = h.id))) as jobs",
    )
    .bind(TOLERATED.as_millis() as f64)
    .fetch_all(conn)
    .await
}

/// The names of handlers without a worker for longer than is tolerated, whether they have jobs or not.
pub(crate) async fn names(conn: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "select name from hookgate.handlers where unserved_since < clock_timestamp() - $1 * interval '1 millisecond'",
    )
    .bind(TOLERATED.as_millis() as f64)
    .fetch_all(conn)
    .await
}

/// Retired handlers that still have jobs nobody runs: queued by a failure or a replay that was under way.
pub(crate) async fn retired_with_jobs(conn: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "select h.name from hookgate.handlers h
          where h.retired_at is not null
            and exists (select from hookgate.subscriptions u
                         where u.handler = h.id
                           and (exists (select from hookgate.jobs
                                         where subscription = u.id and lane is null and state <> 'running')
                                or exists (select from hookgate.lanes where subscription = u.id and state = 'ready')))
          order by h.name",
    )
    .fetch_all(conn)
    .await
}
