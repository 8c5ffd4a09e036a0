//! Replays of one delivery: what never ran, and what runs again by force.

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::record::NewJob;

/// How one subscription stands towards one event of a delivery, by itself or among those that its job stands for.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Standing {
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    /// The event its job is named by.
    pub(crate) job: i32,
    /// `job`, `dead`, `ended`: the most unfinished of them.
    pub(crate) standing: String,
    /// Its place in its lane, where an attempt noted one.
    pub(crate) seq: Option<i64>,
}

/// How every subscription that ever worked on the delivery stands. One statement, so one snapshot: a job that ends
/// meanwhile is seen either unfinished or ended, never neither.
pub(crate) async fn standings(conn: &mut PgConnection, delivery: Uuid) -> sqlx::Result<Vec<Standing>> {
    sqlx::query_as(
        "select e.event, subscription, (array_agg(w.event order by rank, w.event))[1] as job,
                (array_agg(standing order by rank))[1] as standing, max(seq) as seq
           from (select event, subscription, 'job' as standing, 0 as rank, seq, elements
                   from hookgate.jobs where delivery = $1
                 union all
                 -- Handed over to another handler: it ended here.
                 select event, subscription, case when redriven_to is null then 'dead' else 'ended' end,
                        case when redriven_to is null then 1 else 2 end, seq, elements
                   from hookgate.dead where delivery = $1
                 union all
                 select event, subscription, 'ended', 2, seq, elements
                   from hookgate.attempts where delivery = $1) w
          cross join lateral unnest(coalesce(w.elements, array[w.event])) as e(event)
          group by e.event, subscription",
    )
    .bind(delivery)
    .fetch_all(conn)
    .await
}

/// Notes the replay; its number is the run of its jobs.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    asked_by: &str,
    delivery: Uuid,
    handlers: &[String],
    forced: bool,
) -> sqlx::Result<i32> {
    sqlx::query_scalar(
        "insert into hookgate.replays (asked_by, delivery, handlers, forced) values ($1, $2, $3, $4) returning run",
    )
    .bind(asked_by)
    .bind(delivery)
    .bind(handlers)
    .bind(forced)
    .fetch_one(conn)
    .await
}

/// Queues one job: in its lane at `seq`, or at the end of it when it never stood there. `false`: it is there already.
pub(crate) async fn queue(conn: &mut PgConnection, job: &NewJob, run: i32, seq: Option<i64>) -> sqlx::Result<bool> {
    let (lane, label) = job.lane.clone().map(|(lane, label)| (lane.to_vec(), label)).unzip();
    let done = sqlx::query(
        "with wanted as (
             select where not exists (select from hookgate.jobs
                                       where delivery = $1 and event = $2 and subscription = $3 and run = $4)
         ), lane as (
             insert into hookgate.lanes as l (lane, subscription, label, state, class, pending, next_seq, due)
             select $7, $3, $8, 'ready', 2, 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint + 1, now()
               from wanted where $7::bytea is not null
                 on conflict (lane) do update
                set pending = l.pending + 1, next_seq = l.next_seq + 1,
                    state = case l.state when 'idle' then 'ready' else l.state end,
                    due = least(l.due, excluded.due)
             returning lane, next_seq - 1 as last, done_seq
         )
         insert into hookgate.jobs
                (delivery, event, subscription, run, retention, class, lane, seq, version, elements, out_of_order)
         select $1, $2, $3, $4, $5, 2, $7, coalesce($9, (select last from lane)), $6, $10,
                coalesce((select done_seq from lane) > $9, false)
           from wanted
             on conflict do nothing",
    )
    .bind(job.delivery)
    .bind(job.event)
    .bind(job.subscription)
    .bind(run)
    .bind(&job.retention)
    .bind(job.version)
    .bind(lane)
    .bind(label)
    .bind(seq)
    .bind(&job.elements)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Adds a line to the audit trail.
pub(crate) async fn audit(
    conn: &mut PgConnection,
    actor: &str,
    action: &str,
    object: &str,
    detail: &serde_json::Value,
) -> sqlx::Result<()> {
    sqlx::query("insert into hookgate.audit (actor, action, object, detail) values ($1, $2, $3, $4)")
        .bind(actor)
        .bind(action)
        .bind(object)
        .bind(detail)
        .execute(conn)
        .await?;
    Ok(())
}
