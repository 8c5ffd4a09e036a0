//! The work a delivery made: its jobs, wherever their rows are by now, and its attempts. And all that is dead.

use serde::Serialize;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::Stamp;
use crate::store::JobKey;

/// A job, unfinished, dead or ended.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct JobRow {
    pub(crate) handler: String,
    pub(crate) event: i32,
    /// 0 is live, others are replays.
    pub(crate) run: i32,
    pub(crate) state: String,
    pub(crate) attempt: i32,
    pub(crate) failures: i64,
    pub(crate) rescues: i64,
    pub(crate) due: Option<Stamp>,
    pub(crate) snoozed_until: Option<Stamp>,
    pub(crate) started_at: Option<Stamp>,
    pub(crate) ended_at: Option<Stamp>,
    pub(crate) worker: Option<Uuid>,
    pub(crate) lane: Option<String>,
    pub(crate) seq: Option<i64>,
    pub(crate) out_of_order: bool,
    /// Another of its version was there: only their arrival tells which is newer.
    pub(crate) ambiguous: bool,
    /// Why it is dead.
    pub(crate) reason: Option<String>,
    /// What its last attempt said.
    pub(crate) error: Option<String>,
}

/// The jobs of a delivery. One statement, so one snapshot: a job that ends meanwhile shows once.
pub(crate) async fn jobs(conn: &mut PgConnection, delivery: Uuid, limit: i64) -> sqlx::Result<Vec<JobRow>> {
    sqlx::query_as(
        "with kept_from as (
             select e.event::int, e.subscription::int
               from hookgate.deliveries d
              cross join lateral (
                    select 0 as event, unnest(d.filtered) as subscription where d.batch is null
                     union all
                    select place - 1, s.value::int
                      from jsonb_array_elements(d.batch) with ordinality as b(element, place),
                           jsonb_array_elements_text(coalesce(element -> 'filtered', '[]')) as s(value)) e
              where d.id = $1 and d.filtered is not null and (d.own is null or e.event = any(d.own))
         ), history as (
             select distinct on (event, subscription, run)
                    event, subscription, run, attempt, seq, outcome, started_at, ended_at, error, out_of_order,
                    ambiguous,
                    count(*) filter (where outcome in ('failed', 'timeout', 'panic'))
                        over (partition by event, subscription, run) as failures,
                    count(*) filter (where outcome = 'lost')
                        over (partition by event, subscription, run) as rescues
               from hookgate.attempts where delivery = $1
              order by event, subscription, run, attempt desc
         ), job as (
             select j.event, j.subscription, j.run, j.state, j.attempt, j.failures::bigint as failures,
                    j.rescues::bigint as rescues, j.due, j.snoozed_until, j.started_at, null::timestamptz as ended_at,
                    case j.state when 'running' then coalesce(j.worker, l.worker) end as worker,
                    l.label as lane, j.seq, j.out_of_order, j.ambiguous, null::text as reason, h.error
               from hookgate.jobs j
               left join hookgate.lanes l on l.lane = j.lane
               left join history h on (h.event, h.subscription, h.run) = (j.event, j.subscription, j.run)
              where j.delivery = $1
              union all
             select d.event, d.subscription, d.run, 'dead', d.attempt, coalesce(h.failures, 0),
                    coalesce(h.rescues, 0), null, null, h.started_at, d.died_at, null, d.lane_label, d.seq,
                    coalesce(h.out_of_order, false), coalesce(h.ambiguous, false), d.reason, d.error
               from hookgate.dead d
               left join history h on (h.event, h.subscription, h.run) = (d.event, d.subscription, d.run)
              where d.delivery = $1
              union all
             select h.event, h.subscription, h.run, case h.outcome when 'ok' then 'done' else h.outcome end, h.attempt,
                    h.failures, h.rescues, null, null, h.started_at, h.ended_at, null, null, h.seq, h.out_of_order,
                    h.ambiguous, null, h.error
               from history h
              where not exists (select from hookgate.jobs j
                                 where (j.delivery, j.event, j.subscription, j.run)
                                       = ($1, h.event, h.subscription, h.run))
                and not exists (select from hookgate.dead d
                                 where (d.delivery, d.event, d.subscription, d.run)
                                       = ($1, h.event, h.subscription, h.run))
              union all
             -- What a condition kept back and nobody replayed.
             select k.event, k.subscription, 0, 'filtered', 0, 0, 0, null, null, null, null, null, null, null, false, null,
                    null
               from kept_from k
              where not exists (select from (select event, subscription, elements from hookgate.jobs where delivery = $1
                                              union all
                                             select event, subscription, elements from hookgate.dead where delivery = $1
                                              union all
                                             select event, subscription, elements from hookgate.attempts
                                              where delivery = $1) w
                                 where w.subscription = k.subscription
                                   and (w.event = k.event or k.event = any(w.elements)))
         )
         select h.name as handler, job.event, job.run, job.state, job.attempt, job.failures, job.rescues, job.due,
                job.snoozed_until, job.started_at, job.ended_at, job.worker, job.lane, job.seq, job.out_of_order,
                job.ambiguous, job.reason, job.error
           from job
           join hookgate.subscriptions u on u.id = job.subscription
           join hookgate.handlers h on h.id = u.handler
          order by job.event, h.name, job.run
          limit $2",
    )
    .bind(delivery)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct AttemptRow {
    pub(crate) handler: String,
    pub(crate) event: i32,
    pub(crate) run: i32,
    pub(crate) attempt: i32,
    pub(crate) outcome: String,
    /// The HTTP status a forward got.
    pub(crate) status: Option<i16>,
    pub(crate) error: Option<String>,
    pub(crate) started_at: Stamp,
    pub(crate) ended_at: Stamp,
    pub(crate) worker: Option<Uuid>,
    pub(crate) seq: Option<i64>,
    pub(crate) out_of_order: bool,
    pub(crate) ambiguous: bool,
}

/// The newest `limit` attempts of a delivery.
pub(crate) async fn attempts(conn: &mut PgConnection, delivery: Uuid, limit: i64) -> sqlx::Result<Vec<AttemptRow>> {
    sqlx::query_as(
        "select h.name as handler, a.event, a.run, a.attempt, a.outcome, a.status, a.error, a.started_at, a.ended_at,
                a.worker, a.seq, a.out_of_order, a.ambiguous
           from hookgate.attempts a
           join hookgate.subscriptions u on u.id = a.subscription
           join hookgate.handlers h on h.id = u.handler
          where a.delivery = $1
          order by a.started_at desc, a.attempt desc, h.name
          limit $2",
    )
    .bind(delivery)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// What a handler answered its request with; the body is as long as that, and shown to its sender alone.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct AnswerRow {
    pub(crate) handler: String,
    pub(crate) event: i32,
    pub(crate) status: i16,
    pub(crate) body_size: i32,
    pub(crate) answered_at: Stamp,
}

/// What handlers answered a delivery with.
pub(crate) async fn answers(conn: &mut PgConnection, delivery: Uuid, limit: i64) -> sqlx::Result<Vec<AnswerRow>> {
    sqlx::query_as(
        "select h.name as handler, a.event, a.status, octet_length(a.body) as body_size, a.answered_at
           from hookgate.answers a
           join hookgate.subscriptions u on u.id = a.subscription
           join hookgate.handlers h on h.id = u.handler
          where a.delivery = $1
          order by a.event, h.name
          limit $2",
    )
    .bind(delivery)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// A dead job in the list of all of them.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct DeadRow {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    #[serde(skip)]
    pub(crate) subscription: i32,
    pub(crate) run: i32,
    pub(crate) source: String,
    pub(crate) handler: String,
    pub(crate) attempt: i32,
    pub(crate) reason: String,
    pub(crate) error: Option<String>,
    /// The handler it was handed over to.
    pub(crate) redriven_to: Option<String>,
    pub(crate) died_at: Stamp,
    pub(crate) lane: Option<String>,
    pub(crate) seq: Option<i64>,
}

impl DeadRow {
    pub(crate) fn key(&self) -> JobKey {
        JobKey { delivery: self.delivery, event: self.event, subscription: self.subscription, run: self.run }
    }
}

/// Dead jobs of deliveries older than `below`'s, newest delivery first: backwards over the primary key.
pub(crate) async fn dead(
    conn: &mut PgConnection,
    below: Option<JobKey>,
    handler: Option<&str>,
    limit: i64,
) -> sqlx::Result<Vec<DeadRow>> {
    let below =
        below.unwrap_or(JobKey { delivery: Uuid::max(), event: i32::MAX, subscription: i32::MAX, run: i32::MAX });
    sqlx::query_as(
        "select d.delivery, d.event, d.subscription, d.run, s.name as source, h.name as handler, d.attempt, d.reason,
                d.error, d.redriven_to, d.died_at, d.lane_label as lane, d.seq
           from hookgate.dead d
           join hookgate.subscriptions u on u.id = d.subscription
           join hookgate.handlers h on h.id = u.handler
           join hookgate.sources s on s.id = u.source
          where (d.delivery, d.event, d.subscription, d.run) < ($1, $2, $3, $4)
            and ($5::text is null or h.name = $5)
          order by d.delivery desc, d.event desc, d.subscription desc, d.run desc
          limit $6",
    )
    .bind(below.delivery)
    .bind(below.event)
    .bind(below.subscription)
    .bind(below.run)
    .bind(handler)
    .bind(limit)
    .fetch_all(conn)
    .await
}
