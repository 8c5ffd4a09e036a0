//! What is in the database, asked past the gateway.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, FromRow, PgPool};
use uuid::Uuid;

/// The rows of every table of the schema that has any, partitions under their own names.
pub(crate) async fn every_count(pool: &PgPool) -> BTreeMap<String, i64> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class where relnamespace = 'hookgate'::regnamespace and relkind = 'r'",
    )
    .fetch_all(pool)
    .await
    .expect("list the tables");
    let mut counts = BTreeMap::new();
    for table in tables {
        let rows = count(pool, &table).await;
        if rows > 0 {
            counts.insert(table, rows);
        }
    }
    counts
}

/// The rows of one table, or of it `where …`.
pub(crate) async fn count(pool: &PgPool, table_and_condition: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("select count(*) from hookgate.{table_and_condition}")))
        .fetch_one(pool)
        .await
        .expect("count rows")
}

/// Receipts, deliveries, jobs.
pub(crate) async fn recorded(pool: &PgPool) -> (i64, i64, i64) {
    (count(pool, "receipts").await, count(pool, "deliveries").await, count(pool, "jobs").await)
}

/// What `copies` says was done with each further arrival, sorted.
pub(crate) async fn acts(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select act from hookgate.copies order by act").fetch_all(pool).await.expect("read copies")
}

/// A delivery's row.
#[derive(Debug, PartialEq, Eq, FromRow)]
pub(crate) struct Stored {
    pub(crate) id: Uuid,
    /// SHA-256 of the body, computed by Postgres from the bytes it holds.
    pub(crate) sha256: Vec<u8>,
    pub(crate) provider_id: Option<String>,
    pub(crate) event_type: Option<String>,
    pub(crate) conflict_with: Option<Uuid>,
}

/// Every delivery, oldest first.
pub(crate) async fn deliveries(pool: &PgPool) -> Vec<Stored> {
    sqlx::query_as(
        "select id, sha256(body) as sha256, provider_id, event_type, conflict_with from hookgate.deliveries order by id",
    )
    .fetch_all(pool)
    .await
    .expect("read deliveries")
}
