//! `buckets`: the tokens of handlers that have a rate. Locked in the order of names, before anything else a claim locks.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};

/// A bucket as it was left, and the database's time now.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Row {
    pub(crate) handler: String,
    pub(crate) tokens: f64,
    pub(crate) filled_at: DateTime<Utc>,
    pub(crate) now: DateTime<Utc>,
}

/// Locks the buckets of these handlers, made now and `full` where there is none. One that another gateway claims with
/// right now is left out: a gateway that is stopped in its claim must not stop the others.
pub(crate) async fn lock(conn: &mut PgConnection, handlers: &[&str], full: &[f64]) -> sqlx::Result<Vec<Row>> {
    let mut rows: Vec<Row> = sqlx::query_as(
        "select handler, tokens, filled_at, clock_timestamp() as now
           from hookgate.buckets where handler = any($1) order by handler for no key update skip locked",
    )
    .bind(handlers)
    .fetch_all(&mut *conn)
    .await?;
    if rows.len() < handlers.len() {
        let made: Vec<Row> = sqlx::query_as(
            "insert into hookgate.buckets as b (handler, tokens, filled_at)
             select handler, tokens, clock_timestamp() from unnest($1::text[], $2::float8[]) as n(handler, tokens)
              order by handler
                 on conflict (handler) do nothing
             returning handler, tokens, filled_at, filled_at as now",
        )
        .bind(handlers)
        .bind(full)
        .fetch_all(conn)
        .await?;
        rows.extend(made);
    }
    Ok(rows)
}

/// Notes what is left in locked buckets.
pub(crate) async fn leave(conn: &mut PgConnection, left: &[(&str, f64, DateTime<Utc>)]) -> sqlx::Result<()> {
    let handlers: Vec<&str> = left.iter().map(|(handler, ..)| *handler).collect();
    let tokens: Vec<f64> = left.iter().map(|(_, tokens, _)| *tokens).collect();
    let at: Vec<DateTime<Utc>> = left.iter().map(|(.., at)| *at).collect();
    sqlx::query(
        "update hookgate.buckets b set tokens = n.tokens, filled_at = greatest(b.filled_at, n.at)
           from unnest($1::text[], $2::float8[], $3::timestamptz[]) as n(handler, tokens, at)
          where b.handler = n.handler",
    )
    .bind(handlers)
    .bind(tokens)
    .bind(at)
    .execute(conn)
    .await?;
    Ok(())
}
