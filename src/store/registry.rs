//! `registry`, `sources`, `handlers`, `subscriptions`: configuration as rows, and the generation that dates it.

use sqlx::types::Json;
use sqlx::{FromRow, PgConnection};

use crate::registry::Routing;

/// A source as its gateway declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceRow {
    pub(crate) name: String,
    pub(crate) provider: String,
    pub(crate) tenant: Option<String>,
    pub(crate) retention: String,
    pub(crate) on_conflict: String,
    pub(crate) weight: i16,
}

/// A handler as its worker declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HandlerRow {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) from: String,
    pub(crate) patterns: Vec<String>,
    pub(crate) ordering: &'static str,
    pub(crate) routing: Routing,
}

/// A subscription as T1 plans with it and workers claim by it.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct SubscriptionRow {
    pub(crate) id: i32,
    pub(crate) source: i32,
    pub(crate) handler: String,
    pub(crate) patterns: Vec<String>,
    pub(crate) ordering: String,
    pub(crate) routing: Json<Routing>,
    /// Its source's part of the handler's places.
    pub(crate) weight: i16,
    /// Whether its handler takes a request whole, however many events are in it.
    pub(crate) whole: bool,
    /// Whether new events fan out to it. What was queued before is run all the same.
    pub(crate) active: bool,
}

/// Locks the registry row: one change at a time, and the generation rises with it.
pub(crate) async fn lock(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select generation from hookgate.registry for update").fetch_one(conn).await
}

/// Raises the generation: every T1 planned before this commit writes nothing and plans again.
pub(crate) async fn raise(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("update hookgate.registry set generation = generation + 1").execute(conn).await?;
    Ok(())
}

/// Adds or renews a source; an older release changes nothing. Returns whether anything changed.
pub(crate) async fn upsert_source(conn: &mut PgConnection, source: &SourceRow, release: i64) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "insert into hookgate.sources as s (name, provider, tenant, retention, on_conflict, release, weight)
         values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (name) do update
            set provider = excluded.provider, tenant = excluded.tenant, retention = excluded.retention,
                on_conflict = excluded.on_conflict, release = excluded.release, weight = excluded.weight
          where s.release <= excluded.release
            and (s.provider, s.tenant, s.retention, s.on_conflict, s.release, s.weight)
                is distinct from (excluded.provider, excluded.tenant, excluded.retention, excluded.on_conflict,
                                  excluded.release, excluded.weight)",
    )
    .bind(&source.name)
    .bind(&source.provider)
    .bind(&source.tenant)
    .bind(&source.retention)
    .bind(&source.on_conflict)
    .bind(release)
    .bind(source.weight)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Adds or renews a handler; an older release changes nothing. Returns whether anything changed.
pub(crate) async fn upsert_handler(conn: &mut PgConnection, handler: &HandlerRow, release: i64) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "insert into hookgate.handlers as h (name, kind, sources, patterns, ordering, release, routing)
         values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (name) do update
            set kind = excluded.kind, sources = excluded.sources, patterns = excluded.patterns,
                ordering = excluded.ordering, release = excluded.release, routing = excluded.routing,
                retired_at = null
          where h.release <= excluded.release
            and ((h.kind, h.sources, h.patterns, h.ordering, h.release, h.routing)
                 is distinct from (excluded.kind, excluded.sources, excluded.patterns, excluded.ordering,
                                   excluded.release, excluded.routing)
                 or h.retired_at is not null)",
    )
    .bind(&handler.name)
    .bind(handler.kind)
    .bind(&handler.from)
    .bind(&handler.patterns)
    .bind(handler.ordering)
    .bind(release)
    .bind(Json(&handler.routing))
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A handler and a source that could meet, for the glob to decide in Rust.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Pair {
    pub(crate) source: i32,
    pub(crate) source_name: String,
    pub(crate) handler: i32,
    pub(crate) sources: String,
}

/// Every live handler with every source, whoever declared them.
pub(crate) async fn pairs(conn: &mut PgConnection) -> sqlx::Result<Vec<Pair>> {
    sqlx::query_as(
        "select s.id as source, s.name as source_name, h.id as handler, h.sources
           from hookgate.sources s cross join hookgate.handlers h where h.retired_at is null
          order by s.id, h.id",
    )
    .fetch_all(conn)
    .await
}

/// Makes the subscriptions those of `pairs`: adds what is missing, takes over changed patterns and order, switches off
/// what no longer matches (its rows stay, jobs and history point at them). Returns whether anything changed.
pub(crate) async fn subscribe(conn: &mut PgConnection, sources: &[i32], handlers: &[i32]) -> sqlx::Result<bool> {
    let upserted = sqlx::query(
        "insert into hookgate.subscriptions as u (source, handler, patterns, ordering, routing)
         select w.source, w.handler, h.patterns, h.ordering, h.routing
           from unnest($1::int[], $2::int[]) as w(source, handler) join hookgate.handlers h on h.id = w.handler
             on conflict (source, handler) do update
            set patterns = excluded.patterns, ordering = excluded.ordering, routing = excluded.routing, active = true
          where (u.patterns, u.ordering, u.routing, u.active)
                is distinct from (excluded.patterns, excluded.ordering, excluded.routing, true)",
    )
    .bind(sources)
    .bind(handlers)
    .execute(&mut *conn)
    .await?
    .rows_affected();
    let switched_off = sqlx::query(
        "update hookgate.subscriptions u set active = false
          where u.active and not exists (
                select from unnest($1::int[], $2::int[]) as w(source, handler)
                 where w.source = u.source and w.handler = u.handler)",
    )
    .bind(sources)
    .bind(handlers)
    .execute(conn)
    .await?
    .rows_affected();
    Ok(upserted + switched_off > 0)
}

/// The registry at one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) generation: i64,
    /// Name, id, retention class and conflict policy.
    pub(crate) sources: Vec<(String, i32, String, String)>,
    pub(crate) subscriptions: Vec<SubscriptionRow>,
}

/// Reads the registry, all of one generation: the generation is read again at the end, and a change meanwhile shows.
pub(crate) async fn snapshot(conn: &mut PgConnection) -> sqlx::Result<Snapshot> {
    loop {
        let generation = generation(conn).await?;
        let sources = sqlx::query_as("select name, id, retention, on_conflict from hookgate.sources order by id")
            .fetch_all(&mut *conn)
            .await?;
        let subscriptions = sqlx::query_as(
            "select u.id, u.source, h.name as handler, u.patterns, u.ordering, u.routing, h.kind = 'forward' as whole, u.active, s.weight
               from hookgate.subscriptions u join hookgate.handlers h on h.id = u.handler
               join hookgate.sources s on s.id = u.source
              where h.retired_at is null
              order by u.id",
        )
        .fetch_all(&mut *conn)
        .await?;
        if self::generation(conn).await? == generation {
            return Ok(Snapshot { generation, sources, subscriptions });
        }
    }
}

/// When the registry and the pauses last changed: their two counters.
pub(crate) async fn dates(conn: &mut PgConnection) -> sqlx::Result<(i64, i64)> {
    sqlx::query_as("select generation, pauses from hookgate.registry").fetch_one(conn).await
}

/// Keeps the registry as it is until this transaction ends, as T1 does: what it queues, no retirement misses.
pub(crate) async fn hold(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select from hookgate.registry for key share").execute(conn).await?;
    Ok(())
}

/// Ends a handler's fan-out. `false`: it is retired already, or there is none. The caller has locked the registry, and
/// raises the generation.
pub(crate) async fn retire(conn: &mut PgConnection, handler: &str) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "update hookgate.handlers set retired_at = clock_timestamp(), unserved_since = null
          where name = $1 and retired_at is null",
    )
    .bind(handler)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// One handler on one source, whatever became of either.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Place {
    pub(crate) subscription: i32,
    pub(crate) source: i32,
    pub(crate) source_name: String,
}

/// The subscriptions of a handler, on a source, or of one on the other; also those that were switched off.
pub(crate) async fn places(
    conn: &mut PgConnection,
    handler: Option<&str>,
    source: Option<&str>,
) -> sqlx::Result<Vec<Place>> {
    sqlx::query_as(
        "select u.id as subscription, u.source, s.name as source_name
           from hookgate.subscriptions u
           join hookgate.handlers h on h.id = u.handler
           join hookgate.sources s on s.id = u.source
          where ($1::text is null or h.name = $1) and ($2::text is null or s.name = $2)
          order by u.id",
    )
    .bind(handler)
    .bind(source)
    .fetch_all(conn)
    .await
}

/// Whether there is a handler, and a source, of this name.
pub(crate) async fn known(conn: &mut PgConnection, handler: &str, source: &str) -> sqlx::Result<(bool, bool)> {
    sqlx::query_as(
        "select exists (select from hookgate.handlers where name = $1),
                exists (select from hookgate.sources where name = $2)",
    )
    .bind(handler)
    .bind(source)
    .fetch_one(conn)
    .await
}

/// The registry's generation.
pub(crate) async fn generation(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select generation from hookgate.registry").fetch_one(conn).await
}
