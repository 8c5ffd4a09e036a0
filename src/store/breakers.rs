//! `breakers`: what is known of destinations and dependencies that failed. No row: closed.
//!
//! `crate::breaker` decides; here it is read, locked and written. Locked in the order of names, before anything else.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::Token;
use crate::breaker::{Breaker, Probe, State};

/// A breaker under its name, and the database's time at which it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) breaker: Breaker,
    pub(crate) now: DateTime<Utc>,
}

#[derive(Debug, FromRow)]
struct Row {
    name: String,
    state: String,
    failures: i32,
    counting_since: Option<DateTime<Utc>>,
    openings: i32,
    opened_at: Option<DateTime<Utc>>,
    open_until: Option<DateTime<Utc>>,
    closed_at: Option<DateTime<Utc>>,
    probe_worker: Option<Uuid>,
    probe_claim: Option<i64>,
    probe_until: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

const COLUMNS: &str = "name, state, failures, counting_since, openings, opened_at, open_until, closed_at, probe_worker, \
                       probe_claim, probe_until, clock_timestamp() as now";

impl From<Row> for Named {
    fn from(row: Row) -> Self {
        let by = row.probe_worker.zip(row.probe_claim).map(|(worker, n)| Token { worker, n });
        let breaker = Breaker {
            state: [State::Open, State::HalfOpen].into_iter().find(|s| s.as_str() == row.state).unwrap_or_default(),
            failures: row.failures.unsigned_abs(),
            counting_since: row.counting_since,
            openings: row.openings.unsigned_abs(),
            opened_at: row.opened_at,
            open_until: row.open_until,
            closed_at: row.closed_at,
            probe: by.zip(row.probe_until).map(|(by, until)| Probe { by, until }),
        };
        Self { name: row.name, breaker, now: row.now }
    }
}

/// Those of these names that have a row.
pub(crate) async fn read(conn: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Named>> {
    let query = format!("select {COLUMNS} from hookgate.breakers where name = any($1)");
    let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(names).fetch_all(conn).await?;
    Ok(rows.into_iter().map(Named::from).collect())
}

/// Locks a breaker, made now if it has no row yet.
pub(crate) async fn lock(conn: &mut PgConnection, name: &str) -> sqlx::Result<Named> {
    let query = format!(
        "insert into hookgate.breakers (name, state) values ($1, 'closed')
             on conflict (name) do update set name = excluded.name
         returning {COLUMNS}"
    );
    let row: Row = sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(name).fetch_one(conn).await?;
    Ok(row.into())
}

/// Locks a breaker that has a row.
pub(crate) async fn lock_known(conn: &mut PgConnection, name: &str) -> sqlx::Result<Option<Named>> {
    let query = format!("select {COLUMNS} from hookgate.breakers where name = $1 for no key update");
    let row: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(name).fetch_optional(conn).await?;
    Ok(row.map(Named::from))
}

/// Locks those of these that nobody else is looking at right now: whoever is, tries.
pub(crate) async fn lock_free(conn: &mut PgConnection, names: &[&str]) -> sqlx::Result<Vec<Named>> {
    let query = format!(
        "select {COLUMNS} from hookgate.breakers where name = any($1) order by name for no key update skip locked"
    );
    let rows: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(query)).bind(names).fetch_all(conn).await?;
    Ok(rows.into_iter().map(Named::from).collect())
}

/// Writes a breaker that its caller has locked.
pub(crate) async fn write(conn: &mut PgConnection, name: &str, breaker: &Breaker) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.breakers
            set state = $2, failures = $3, counting_since = $4, openings = $5, opened_at = $6, open_until = $7,
                closed_at = $8, probe_worker = $9, probe_claim = $10, probe_until = $11
          where name = $1",
    )
    .bind(name)
    .bind(breaker.state.as_str())
    .bind(i32::try_from(breaker.failures).unwrap_or(i32::MAX))
    .bind(breaker.counting_since)
    .bind(i32::try_from(breaker.openings).unwrap_or(i32::MAX))
    .bind(breaker.opened_at)
    .bind(breaker.open_until)
    .bind(breaker.closed_at)
    .bind(breaker.probe.map(|probe| probe.by.worker))
    .bind(breaker.probe.map(|probe| probe.by.n))
    .bind(breaker.probe.map(|probe| probe.until))
    .execute(conn)
    .await?;
    Ok(())
}

/// Breakers by state, for the metrics.
pub(crate) async fn count_by_state(conn: &mut PgConnection) -> sqlx::Result<Vec<(String, i64)>> {
    sqlx::query_as("select state, count(*) from hookgate.breakers group by state").fetch_all(conn).await
}
