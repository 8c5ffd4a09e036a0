//! Jobs, attempts and effects as the database has them.

use sqlx::{AssertSqlSafe, Executor, FromRow, PgPool};

use super::postgres::{TestDatabase, database};

/// A database with a table that handlers write to: [`super::puppet::Call::book`].
pub(crate) async fn database_with_effects() -> (TestDatabase, PgPool) {
    let database = database().await;
    let pool = database.pool().await;
    execute(&pool, "create table effect (object text not null, attempt int not null)").await;
    (database, pool)
}

pub(crate) async fn execute(pool: &PgPool, sql: &str) {
    pool.execute(AssertSqlSafe(sql.to_owned())).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

pub(crate) async fn number(pool: &PgPool, sql: &str) -> i64 {
    let value = sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(pool).await;
    value.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// How often an object's effect was committed.
pub(crate) async fn effects(pool: &PgPool, object: &str) -> i64 {
    number(pool, &format!("select count(*) from effect where object = '{object}'")).await
}

/// Every attempt in the database: of which number, with which outcome, in the order they began.
pub(crate) async fn attempts(pool: &PgPool) -> Vec<(i32, String)> {
    sqlx::query_as("select attempt, outcome from hookgate.attempts order by started_at, attempt")
        .fetch_all(pool)
        .await
        .expect("read attempts")
}

/// The text of the last attempt.
pub(crate) async fn last_error(pool: &PgPool) -> String {
    sqlx::query_scalar("select coalesce(error, '') from hookgate.attempts order by ended_at desc limit 1")
        .fetch_one(pool)
        .await
        .expect("read an attempt")
}

/// Short for what [`attempts`] returns.
pub(crate) fn tried(outcomes: &[&str]) -> Vec<(i32, String)> {
    (1..).zip(outcomes.iter().map(|outcome| (*outcome).to_owned())).collect()
}

/// An unfinished job.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Job {
    pub(crate) state: String,
    pub(crate) attempt: i32,
    pub(crate) failures: i32,
    pub(crate) rescues: i32,
    pub(crate) run: i32,
    pub(crate) in_lane: bool,
    pub(crate) out_of_order: bool,
    pub(crate) snoozed_ms: i64,
    /// From now, in seconds.
    pub(crate) due_in: f64,
}

/// Unfinished jobs, in received order.
pub(crate) async fn jobs(pool: &PgPool) -> Vec<Job> {
    sqlx::query_as(
        "select state, attempt, failures, rescues, run, lane is not null as in_lane, out_of_order, snoozed_ms,
                extract(epoch from due - clock_timestamp())::float8 as due_in
           from hookgate.jobs order by seq, delivery, run",
    )
    .fetch_all(pool)
    .await
    .expect("read jobs")
}

/// The one unfinished job there is.
pub(crate) async fn job(pool: &PgPool) -> Job {
    let jobs = jobs(pool).await;
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    jobs[0].clone()
}

/// The number of unfinished jobs.
pub(crate) async fn unfinished(pool: &PgPool) -> i64 {
    number(pool, "select count(*) from hookgate.jobs").await
}

/// Dead jobs' reasons, oldest first.
pub(crate) async fn deaths(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select reason from hookgate.dead order by died_at").fetch_all(pool).await.expect("read dead")
}

/// State and count of each lane, by its ordering key.
pub(crate) async fn lanes(pool: &PgPool) -> Vec<(String, String, i32)> {
    sqlx::query_as("select label, state, pending from hookgate.lanes order by label")
        .fetch_all(pool)
        .await
        .expect("read lanes")
}

/// Makes every waiting job due, as if its time had come.
pub(crate) async fn let_time_pass(pool: &PgPool) {
    execute(
        pool,
        "with waiting as (update hookgate.jobs set due = now() - interval '1 second',
                                 snoozed_until = case when snoozed_until is not null then now() end
                           where state = 'waiting' returning lane)
         update hookgate.lanes set due = now() where lane in (select lane from waiting) and state = 'ready'",
    )
    .await;
}

/// The number of registered workers.
pub(crate) async fn workers(pool: &PgPool) -> i64 {
    number(pool, "select count(*) from hookgate.workers").await
}
