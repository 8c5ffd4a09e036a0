//! The claim as a handler's transaction sees it. Nothing here takes a lock: the fence is the row lock that settle takes
//! in its last statement, so a slow handler never makes ingest or rescue wait.

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use super::jobs::Lost;
use super::{Held, JobKey, Token};

/// How much longer than its job a handler's idle transaction may live, so that the timeout is always ours to tell.
const IDLE_MARGIN: Duration = Duration::from_secs(5);

/// How much longer than its job a statement may run. Short: one that outlives its job keeps a connection and its locks,
/// and every retry takes another.
const STATEMENT_MARGIN: Duration = Duration::from_millis(200);

/// Makes the planner take the claim's indexes, for this transaction. They are right whatever the statistics say, and the
/// statistics of a queue are always old: with 100k rows a claim took 100 ms by hash join and 0.4 ms by index.
///
/// And not to compile it. A method that is off and needed all the same (the order of `heads` needs a sort) counts as
/// enormously dear, and a dear plan is compiled, where the server can: hundreds of milliseconds for every claim.
/// <https://www.postgresql.org/docs/current/jit-decision.html>
pub(crate) async fn plan_by_index(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(
        "select set_config(name, 'off', true)
           from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_bitmapscan',
                             'enable_sort', 'jit']) as method(name)",
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stamps the open transaction with the claim it works for, and bounds how long it may sit idle and how long a statement
/// may run, by what is left for the job: nobody cancels a statement whose handler was dropped but the server itself.
///
/// The settings are local to the transaction, so they vanish with it: that is how [`is_marked`] notices that user SQL
/// said `COMMIT`, and why nothing leaks through a connection pooler.
pub(crate) async fn mark(conn: &mut PgConnection, token: Token, left: Duration) -> sqlx::Result<()> {
    sqlx::query(
        "select set_config('idle_in_transaction_session_timeout', $1, true), set_config('statement_timeout', $2, true),
                set_config('hookgate.claim', $3, true)",
    )
    .bind(milliseconds(left + IDLE_MARGIN))
    .bind(milliseconds(left + STATEMENT_MARGIN))
    .bind(token_text(token))
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether the transaction that [`mark`] stamped is still the open one.
pub(crate) async fn is_marked(conn: &mut PgConnection, token: Token) -> sqlx::Result<bool> {
    sqlx::query_scalar("select current_setting('hookgate.claim', true) is not distinct from $1")
        .bind(token_text(token))
        .fetch_one(conn)
        .await
}

/// Takes the lent transaction back for settling: whether it is still the one that [`mark`] stamped, and from here on it
/// may sit idle no longer than this, and the job's own bound on statements is over. What follows locks the lane or the job, and whoever is stopped then holds it.
pub(crate) async fn take_back(conn: &mut PgConnection, token: Token, idle_at_most: Duration) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select set_config('idle_in_transaction_session_timeout', $2, true) is not null
                and set_config('statement_timeout', '0', true) is not null
                and current_setting('hookgate.claim', true) is not distinct from $1",
    )
    .bind(token_text(token))
    .bind(milliseconds(idle_at_most))
    .fetch_one(conn)
    .await
}

/// Whether the claim still stands. A plain read: it saves useless work of a worker that was rescued meanwhile, and
/// decides nothing; settle's fence does.
pub(crate) async fn is_held(conn: &mut PgConnection, held: &Held, token: Token) -> sqlx::Result<bool> {
    let query = match held {
        Held::Lane(lane) => sqlx::query_scalar(
            "select exists (select from hookgate.lanes where lane = $1 and worker = $2 and claim = $3)",
        )
        .bind(lane.as_slice()),
        Held::Job(job) => sqlx::query_scalar(
            "select exists (select from hookgate.jobs
              where delivery = $1 and event = $2 and subscription = $3 and run = $4 and worker = $5 and claim = $6)",
        )
        .bind(job.delivery)
        .bind(job.event)
        .bind(job.subscription)
        .bind(job.run),
    };
    query.bind(token.worker).bind(token.n).fetch_one(conn).await
}

/// The unordered job that runs under this claim, locked. `None`: the claim was lost.
pub(crate) async fn started(conn: &mut PgConnection, key: JobKey, token: Token) -> sqlx::Result<Option<Lost>> {
    sqlx::query_as(
        "select delivery, event, subscription, run, rescues, claim, started_at, attempt, seq from hookgate.jobs
          where delivery = $1 and event = $2 and subscription = $3 and run = $4 and worker = $5 and claim = $6
            for no key update",
    )
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(key.run)
    .bind(token.worker)
    .bind(token.n)
    .fetch_optional(conn)
    .await
}

/// What `worker` holds under other numbers than these, and the number of each.
pub(crate) async fn held_beyond(
    conn: &mut PgConnection,
    worker: Uuid,
    numbers: &[i64],
) -> sqlx::Result<Vec<(Held, i64)>> {
    let lanes: Vec<(Vec<u8>, i64)> =
        sqlx::query_as("select lane, claim from hookgate.lanes where worker = $1 and claim <> all ($2)")
            .bind(worker)
            .bind(numbers)
            .fetch_all(&mut *conn)
            .await?;
    let jobs: Vec<Lost> = sqlx::query_as(
        "select delivery, event, subscription, run, rescues, claim, started_at, attempt, seq from hookgate.jobs
          where worker = $1 and claim <> all ($2)",
    )
    .bind(worker)
    .bind(numbers)
    .fetch_all(conn)
    .await?;
    let lanes = lanes.into_iter().filter_map(|(lane, n)| Some((Held::Lane(lane.try_into().ok()?), n)));
    let jobs = jobs.into_iter().filter_map(|job| Some((Held::Job(job.key()), job.claim?)));
    Ok(lanes.chain(jobs).collect())
}

fn token_text(token: Token) -> String {
    format!("{}:{}", token.worker, token.n)
}

/// Postgres reads zero as "no limit" and refuses more than an `int`.
fn milliseconds(limit: Duration) -> String {
    limit.as_millis().clamp(1, i32::MAX as u128).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_never_switched_off_and_never_too_large_for_postgres() {
        assert_eq!(milliseconds(Duration::ZERO), "1");
        assert_eq!(milliseconds(Duration::from_secs(35)), "35000");
        assert_eq!(milliseconds(Duration::MAX), i32::MAX.to_string());
    }
}
