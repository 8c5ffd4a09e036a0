//! How much waits, for the gauges.

use sqlx::{FromRow, PgConnection};

/// The unfinished jobs of a handler in one state.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Waiting {
    pub(crate) handler: String,
    pub(crate) state: String,
    pub(crate) jobs: i64,
    /// How long ago the first of them became due; negative: it is not due yet.
    pub(crate) overdue_seconds: f64,
}

/// Unfinished jobs by handler and state: one pass over `jobs`, which holds unfinished work only.
pub(crate) async fn jobs(conn: &mut PgConnection) -> sqlx::Result<Vec<Waiting>> {
    sqlx::query_as(
        "select h.name as handler, w.state, sum(w.jobs)::bigint as jobs,
                extract(epoch from clock_timestamp() - min(w.due))::float8 as overdue_seconds
           from (select subscription, state, count(*) as jobs, min(due) as due
                   from hookgate.jobs group by subscription, state) w
           join hookgate.subscriptions u on u.id = w.subscription
           join hookgate.handlers h on h.id = u.handler
          group by h.name, w.state",
    )
    .fetch_all(conn)
    .await
}

/// Dead jobs by handler.
pub(crate) async fn dead(conn: &mut PgConnection) -> sqlx::Result<Vec<(String, i64)>> {
    sqlx::query_as(
        "select h.name, sum(w.jobs)::bigint
           from (select subscription, count(*) as jobs from hookgate.dead
                  where redriven_to is null group by subscription) w
           join hookgate.subscriptions u on u.id = w.subscription
           join hookgate.handlers h on h.id = u.handler
          group by h.name",
    )
    .fetch_all(conn)
    .await
}
