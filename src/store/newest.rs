//! Lanes in which only the newest version counts, and lanes that start in the provider's order.
//!
//! Newer is the greater pair (version, seq). Where one of two has no version, only the sequence tells: a job without a version
//! is newer than all that came before it. The caller holds the lanes' row locks, so no job comes or goes meanwhile.

use sqlx::{FromRow, PgConnection};

use super::LaneKey;
use super::jobs::Job;

/// What a lane has to run.
#[derive(Debug, FromRow)]
pub(crate) struct Newest {
    #[sqlx(flatten)]
    pub(crate) job: Job,
    /// In how many seconds it is due.
    pub(crate) due_in: f64,
    /// Another of its version is queued or was handled.
    pub(crate) is_tied: bool,
}

/// The one job each of these lanes runs next, if it has any. What is not newer than the lane's mark ends `stale`, and what is
/// older than a newest that is due ends `superseded`: each leaves its row in `attempts`. One statement, however many.
///
/// Runs by force neither end nor are ended so. One that is due goes first, so that the newest has the last word.
pub(crate) async fn take(conn: &mut PgConnection, lanes: &[LaneKey]) -> sqlx::Result<Vec<Newest>> {
    let lanes: Vec<&[u8]> = lanes.iter().map(LaneKey::as_slice).collect();
    sqlx::query_as(
        "with queued as materialized (
             select j.*, l.version as mark,
                    extract(epoch from greatest(j.due, j.snoozed_until) - clock_timestamp())::float8 as due_in,
                    j.run = 0 and l.mark_seq is not null
                        and case when j.version is not null and l.version is not null
                                 then (j.version, j.seq) <= (l.version, l.mark_seq)
                                 else j.seq <= l.mark_seq end as is_stale
               from unnest($1::bytea[]) as c(lane)
               join hookgate.lanes l on l.lane = c.lane
               join hookgate.jobs j on j.lane = l.lane
         ), live as (
             -- Versions compare with each other since the last that has none.
             select q.*, max(q.seq) filter (where q.version is null) over (partition by q.lane) as since
               from queued q where q.run = 0 and not q.is_stale
         ), newest as (
             select distinct on (lane) * from live where since is null or seq >= since
              order by lane, version desc nulls last, seq desc
         ), forced as (
             select distinct on (lane) * from queued where run > 0 order by lane, due_in > 0, seq, run
         ), next as (
             select n.lane, n.delivery, n.event, n.subscription, n.run, n.version, n.due_in from newest n
              where not exists (select from forced f where f.lane = n.lane and (f.due_in <= 0 or f.due_in < n.due_in))
                 or n.due_in <= 0 and not exists (select from forced f where f.lane = n.lane and f.due_in <= 0)
              union all
             select f.lane, f.delivery, f.event, f.subscription, f.run, f.version, f.due_in from forced f
              where f.due_in <= 0
                 or not exists (select from newest n where n.lane = f.lane and (n.due_in <= 0 or n.due_in <= f.due_in))
         ), ended as (
             select q.delivery, q.event, q.subscription, q.run, case when q.is_stale then 'stale' else 'superseded' end as as_what,
                    coalesce(q.version = case when q.is_stale then q.mark else n.version end, false) as is_tied
               from queued q left join next n on n.lane = q.lane
              where q.is_stale
                 or (q.run = 0 and n.run = 0 and n.due_in <= 0
                     and (q.delivery, q.event, q.subscription, q.run) <> (n.delivery, n.event, n.subscription, n.run))
         ), gone as (
             delete from hookgate.jobs j using ended e
              where (j.delivery, j.event, j.subscription, j.run) = (e.delivery, e.event, e.subscription, e.run)
             returning j.retention, j.delivery, j.event, j.subscription, j.run, j.attempt + 1 as attempt, j.seq, j.lane,
                       j.out_of_order, j.elements, e.as_what, e.is_tied
         ), told as (
             insert into hookgate.attempts
                    (retention, delivery, event, subscription, run, attempt, seq, outcome, started_at, ended_at,
                     out_of_order, elements, ambiguous)
             select retention, delivery, event, subscription, run, attempt, seq, as_what, clock_timestamp(),
                    clock_timestamp(), out_of_order, elements, is_tied
               from gone
                 on conflict do nothing
         ), counted as (
             update hookgate.lanes l set pending = l.pending - g.jobs
               from (select lane, count(*) as jobs from gone group by lane) g
              where l.lane = g.lane
         )
         select q.delivery, q.event, q.subscription, q.run, q.lane, q.seq, q.elements, q.due, q.attempt, q.failures, q.rescues,
                q.snoozed_ms, q.out_of_order, q.ambiguous, q.version, q.due_in <= 0 as is_due, q.due_in,
                (extract(epoch from clock_timestamp() - q.failing_since) * 1000)::bigint as failing_ms,
                coalesce(q.version = q.mark, false)
                    or exists (select from live t where t.lane = q.lane and t.version = q.version and t.seq <> q.seq) as is_tied
           from next n
           join queued q on (q.delivery, q.event, q.subscription, q.run) = (n.delivery, n.event, n.subscription, n.run)",
    )
    .bind(&lanes)
    .fetch_all(conn)
    .await
}

/// How many jobs of a lane are sorted at a time: what comes close together, not a backlog.
const SORTED: i64 = 500;

/// Gives the places of these lanes' jobs out anew, in the order of their versions, ties by arrival: which are marked. Only among
/// those that never started and have a version; every other keeps its place.
pub(crate) async fn sort(conn: &mut PgConnection, lanes: &[LaneKey]) -> sqlx::Result<()> {
    let lanes: Vec<&[u8]> = lanes.iter().map(LaneKey::as_slice).collect();
    sqlx::query(
        "with queued as materialized (
             -- The places as an array: a join of the jobs with themselves would be a nested loop here.
             select q.*, (array_agg(q.seq) over (partition by q.lane order by q.seq
                              rows between unbounded preceding and unbounded following))
                         [row_number() over (partition by q.lane order by q.version, q.seq)] as place,
                    count(*) over (partition by q.lane, q.version) > 1 or coalesce(q.version = l.version, false) as is_tied
               from unnest($1::bytea[]) as c(lane)
               join hookgate.lanes l on l.lane = c.lane
              cross join lateral (
                    select j.delivery, j.event, j.subscription, j.run, j.lane, j.seq, j.version, j.ambiguous
                      from hookgate.jobs j
                     where j.lane = l.lane and j.run = 0 and j.attempt = 0 and j.state = 'ready' and j.version is not null
                     order by j.seq limit $2) q
         )
         update hookgate.jobs j set seq = w.place, ambiguous = w.is_tied
           from queued w
          where (j.delivery, j.event, j.subscription, j.run) = (w.delivery, w.event, w.subscription, w.run)
            and (w.seq <> w.place or w.ambiguous <> w.is_tied)",
    )
    .bind(&lanes)
    .bind(SORTED)
    .execute(conn)
    .await?;
    Ok(())
}
