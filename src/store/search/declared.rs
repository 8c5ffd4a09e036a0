//! What is declared: sources, handlers, and the workers that run them.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::Stamp;
use crate::store::unserved;

/// An ingest endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct SourceRow {
    pub(crate) name: String,
    pub(crate) provider: String,
    pub(crate) tenant: Option<String>,
    pub(crate) retention: String,
    pub(crate) on_conflict: String,
    pub(crate) release: i64,
    /// The live handlers that get its events.
    pub(crate) handlers: Vec<String>,
    /// Those of them that may not run now, by whatever pause.
    pub(crate) paused: Vec<String>,
    /// Since when the source itself is paused, by whom and why.
    pub(crate) paused_at: Option<Stamp>,
    pub(crate) paused_by: Option<String>,
    pub(crate) paused_reason: Option<String>,
    /// Secrets that came in a handshake and are live.
    pub(crate) paired_secrets: i64,
    /// When the newest of them came.
    pub(crate) paired_at: Option<Stamp>,
    /// Until when the source takes another one; null: it takes none.
    pub(crate) pairing_until: Option<Stamp>,
}

/// All sources by name.
pub(crate) async fn sources(conn: &mut PgConnection) -> sqlx::Result<Vec<SourceRow>> {
    sqlx::query_as(
        "select s.name, s.provider, s.tenant, s.retention, s.on_conflict, s.release,
                coalesce((select array_agg(h.name order by h.name)
                            from hookgate.subscriptions u join hookgate.handlers h on h.id = u.handler
                           where u.source = s.id and u.active and h.retired_at is null), '{}') as handlers,
                coalesce((select array_agg(h.name order by h.name)
                            from hookgate.subscriptions u join hookgate.handlers h on h.id = u.handler
                           where u.source = s.id and u.active and u.paused and h.retired_at is null), '{}') as paused,
                s.paused_at, s.paused_by, s.paused_reason,
                p.live as paired_secrets, p.newest as paired_at, w.closes_at as pairing_until
           from hookgate.sources s
          cross join lateral (
                select count(*) as live, max(paired_at) as newest
                  from hookgate.paired_secrets where source = s.id and sealed is not null) p
           left join hookgate.pairing_windows w
                  on w.source = s.id and w.secret is null and w.closes_at > clock_timestamp()
          order by s.name",
    )
    .fetch_all(conn)
    .await
}

/// A handler and who runs it.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct HandlerRow {
    pub(crate) name: String,
    pub(crate) kind: String,
    /// The sources it asks for: a name or glob.
    pub(crate) from: String,
    pub(crate) events: Vec<String>,
    pub(crate) order: String,
    /// Its conditions, as written.
    pub(crate) when: serde_json::Value,
    /// Whether it answers requests.
    pub(crate) respond: bool,
    pub(crate) release: i64,
    pub(crate) retired_at: Option<Stamp>,
    /// The sources it gets.
    pub(crate) sources: Vec<String>,
    /// Those of them where it may not run now, by whatever pause.
    pub(crate) paused: Vec<String>,
    /// Since when the handler itself is paused, by whom and why.
    pub(crate) paused_at: Option<Stamp>,
    pub(crate) paused_by: Option<String>,
    pub(crate) paused_reason: Option<String>,
    /// Workers that spoke within their lease and contain it. None: its jobs wait.
    pub(crate) live_workers: i64,
    /// No live worker has had it for a minute.
    pub(crate) handler_unserved: Option<Json<Unserved>>,
}

/// A handler that nobody runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unserved {
    pub(crate) since: DateTime<Utc>,
    /// Unfinished jobs that wait for it.
    pub(crate) jobs: i64,
}

/// All handlers by name.
pub(crate) async fn handlers(conn: &mut PgConnection, lease: Duration) -> sqlx::Result<Vec<HandlerRow>> {
    sqlx::query_as(
        "with lost as materialized (
             select id from hookgate.handlers
              where retired_at is null and unserved_since < clock_timestamp() - $2 * interval '1 millisecond'
         ), waiting as materialized (
             -- Of unserved handlers alone: the jobs are not read where there are none.
             select u.handler, count(*) as jobs
               from hookgate.jobs j join hookgate.subscriptions u on u.id = j.subscription
              where exists (select from lost) and u.handler in (select id from lost)
              group by u.handler
         )
         select h.name, h.kind, h.sources as \"from\", h.patterns as events, h.ordering as \"order\",
                coalesce(h.routing -> 'when', '[]') as \"when\",
                coalesce(h.routing -> 'respond' = 'true', false) as respond, h.release,
                h.retired_at, coalesce(u.sources, '{}') as sources, coalesce(u.paused, '{}') as paused,
                h.paused_at, h.paused_by, h.paused_reason,
                case when h.id in (select id from lost)
                     then jsonb_build_object('since', h.unserved_since,
                                             'jobs', coalesce((select jobs from waiting where handler = h.id), 0))
                 end as handler_unserved,
                (select count(*) from hookgate.workers w
                  where h.name = any(w.handlers)
                    and w.heartbeat_at >= clock_timestamp() - $1 * interval '1 millisecond') as live_workers
           from hookgate.handlers h
           left join lateral (
                select array_agg(s.name order by s.name) as sources,
                       array_agg(s.name order by s.name) filter (where u.paused) as paused
                  from hookgate.subscriptions u join hookgate.sources s on s.id = u.source
                 where u.handler = h.id and u.active) u on true
          order by h.name",
    )
    .bind(lease.as_millis() as f64)
    .bind(unserved::TOLERATED.as_millis() as f64)
    .fetch_all(conn)
    .await
}

/// A worker process.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct WorkerRow {
    pub(crate) id: Uuid,
    pub(crate) host: String,
    pub(crate) started_at: Stamp,
    pub(crate) heartbeat_at: Stamp,
    /// Whether it spoke within its lease.
    pub(crate) alive: bool,
    pub(crate) stopping: bool,
    pub(crate) release: i64,
    pub(crate) config_hash: String,
    pub(crate) handlers: Vec<String>,
}

/// All workers, the longest running first.
pub(crate) async fn workers(conn: &mut PgConnection, lease: Duration) -> sqlx::Result<Vec<WorkerRow>> {
    sqlx::query_as(
        "select id, host, started_at, heartbeat_at,
                heartbeat_at >= clock_timestamp() - $1 * interval '1 millisecond' as alive,
                stopping, release, config_hash, handlers
           from hookgate.workers order by started_at, id limit 1000",
    )
    .bind(lease.as_millis() as f64)
    .fetch_all(conn)
    .await
}
