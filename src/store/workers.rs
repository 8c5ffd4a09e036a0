//! `workers`: who runs handlers, and who stopped saying so.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

/// What a worker says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Introduction {
    pub(crate) id: Uuid,
    pub(crate) host: String,
    pub(crate) release: i64,
    pub(crate) config_hash: String,
    pub(crate) handlers: Vec<String>,
}

/// Adds this process, or brings its row back if maintenance took it for dead.
pub(crate) async fn introduce(conn: &mut PgConnection, worker: &Introduction) -> sqlx::Result<()> {
    sqlx::query(
        "insert into hookgate.workers (id, host, release, config_hash, handlers) values ($1, $2, $3, $4, $5)
             on conflict (id) do update set heartbeat_at = clock_timestamp()",
    )
    .bind(worker.id)
    .bind(&worker.host)
    .bind(worker.release)
    .bind(&worker.config_hash)
    .bind(&worker.handlers)
    .execute(conn)
    .await?;
    Ok(())
}

/// Says that the worker lives. `false`: its row is gone, it must introduce itself again.
pub(crate) async fn beat(conn: &mut PgConnection, id: Uuid) -> sqlx::Result<bool> {
    let done = sqlx::query("update hookgate.workers set heartbeat_at = clock_timestamp() where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Removes the row of a worker that holds nothing any more. One that still has claims keeps its row and falls silent:
/// that row is how a rescue finds them.
pub(crate) async fn leave(conn: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query(
        "delete from hookgate.workers w
          where w.id = $1
            and not exists (select from hookgate.lanes where worker = w.id)
            and not exists (select from hookgate.jobs where worker = w.id)",
    )
    .bind(id)
    .execute(conn)
    .await?;
    Ok(())
}

/// Workers silent for longer than their lease, by database time: no client's clock can shorten a lease. And whoever
/// holds a claim without being registered: stopped between its last sign of life and its claim, it may have been
/// buried in between, and nobody else would ever look for it.
pub(crate) async fn silent(conn: &mut PgConnection, lease: Duration) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "(select id from hookgate.workers
           where heartbeat_at < clock_timestamp() - $1 * interval '1 millisecond' order by heartbeat_at limit 100)
         union
         select worker from hookgate.lanes l
          where worker is not null and not exists (select from hookgate.workers where id = l.worker)
         union
         select worker from hookgate.jobs j
          where worker is not null and not exists (select from hookgate.workers where id = j.worker)",
    )
    .bind(lease.as_millis() as f64)
    .fetch_all(conn)
    .await
}

/// Removes the row of a silent worker that holds nothing any more. Never one that still has claims: its claims would
/// then belong to nobody, and nobody would rescue them.
pub(crate) async fn bury(conn: &mut PgConnection, id: Uuid, lease: Duration) -> sqlx::Result<()> {
    sqlx::query(
        "delete from hookgate.workers w
          where w.id = $1 and w.heartbeat_at < clock_timestamp() - $2 * interval '1 millisecond'
            and not exists (select from hookgate.lanes where worker = w.id)
            and not exists (select from hookgate.jobs where worker = w.id)",
    )
    .bind(id)
    .bind(lease.as_millis() as f64)
    .execute(conn)
    .await?;
    Ok(())
}

/// How many workers spoke within their lease: what readiness asks.
pub(crate) async fn alive(conn: &mut PgConnection, lease: Duration) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "select count(*) from hookgate.workers
          where heartbeat_at >= clock_timestamp() - $1 * interval '1 millisecond'",
    )
    .bind(lease.as_millis() as f64)
    .fetch_one(conn)
    .await
}
