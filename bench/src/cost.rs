//! What a leg cost the database, by the database's own counting.

use sqlx::{AssertSqlSafe, PgPool, Row};

use crate::Failed;

/// Counters at one moment; the difference of two is a leg's cost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counters {
    commits: i64,
    wal_bytes: i64,
    wal_page_images: i64,
}

/// A leg's cost in the database.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    pub(crate) deliveries: i64,
    pub(crate) commits: f64,
    pub(crate) wal_bytes: f64,
    pub(crate) wal_page_images: f64,
    /// Rows inserted or updated.
    pub(crate) tuples: f64,
    pub(crate) index_entries: f64,
    /// Length of a body over its length as stored.
    pub(crate) compression: f64,
}

/// Empties what is measured and writes a checkpoint, so that each leg starts alike.
pub(crate) async fn reset(pool: &PgPool) -> Result<(), Failed> {
    for statement in [
        "truncate hookgate.receipts, hookgate.deliveries, hookgate.jobs, hookgate.lanes",
        "select pg_stat_reset()",
        "checkpoint",
    ] {
        sqlx::query(statement).execute(pool).await?;
    }
    Ok(())
}

pub(crate) async fn counters(pool: &PgPool) -> Result<Counters, Failed> {
    let row = sqlx::query(
        "select xact_commit, (pg_current_wal_insert_lsn() - '0/0')::bigint as wal,
                (select wal_fpi from pg_stat_wal) as images
           from pg_stat_database where datname = current_database()",
    )
    .fetch_one(pool)
    .await?;
    Ok(Counters {
        commits: row.try_get("xact_commit")?,
        wal_bytes: row.try_get("wal")?,
        wal_page_images: row.try_get("images")?,
    })
}

/// How many deliveries are stored.
pub(crate) async fn stored(pool: &PgPool) -> Result<i64, Failed> {
    Ok(sqlx::query_scalar("select count(*) from hookgate.deliveries").fetch_one(pool).await?)
}

/// The cost of a leg that began with empty tables at `before`; every client has disconnected since, so that the
/// statistics are complete.
pub(crate) async fn since(pool: &PgPool, before: Counters) -> Result<Cost, Failed> {
    let after = counters(pool).await?;
    let deliveries = stored(pool).await?;
    let each = |count: i64| count as f64 / deliveries.max(1) as f64;
    let (tuples, updates_of_indexes): (i64, i64) = sqlx::query_as(
        "select sum(n_tup_ins + n_tup_upd)::bigint,
                sum((n_tup_upd - n_tup_hot_upd) * (select count(*) from pg_index i where i.indrelid = s.relid))::bigint
           from pg_stat_user_tables s where schemaname = 'hookgate'",
    )
    .fetch_one(pool)
    .await?;
    let compression: Option<f64> = sqlx::query_scalar(
        "select sum(octet_length(body))::float8 / sum(pg_column_size(body))::float8 from hookgate.deliveries",
    )
    .fetch_one(pool)
    .await?;
    Ok(Cost {
        deliveries,
        commits: each(after.commits - before.commits),
        wal_bytes: each(after.wal_bytes - before.wal_bytes),
        wal_page_images: each(after.wal_page_images - before.wal_page_images),
        tuples: each(tuples),
        index_entries: each(index_entries(pool).await? + updates_of_indexes),
        compression: compression.unwrap_or_default(),
    })
}

/// Postgres counts no index entries. In tables that are only inserted into, an index has one for each row that its
/// predicate takes.
async fn index_entries(pool: &PgPool) -> Result<i64, Failed> {
    let indexes = sqlx::query(
        "select c.oid::regclass::text as name, coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') as predicate
           from pg_index i join pg_class c on c.oid = i.indrelid
          where c.relnamespace = 'hookgate'::regnamespace and c.relkind = 'r'
            and (c.relname in ('receipts', 'jobs', 'lanes') or c.relname like 'deliveries%')",
    )
    .fetch_all(pool)
    .await?;
    let mut entries = 0;
    for index in indexes {
        let (name, predicate): (String, String) = (index.try_get("name")?, index.try_get("predicate")?);
        let count = format!("select count(*) from {name} where {predicate}");
        entries += sqlx::query_scalar::<_, i64>(AssertSqlSafe(count)).fetch_one(pool).await?;
    }
    Ok(entries)
}
