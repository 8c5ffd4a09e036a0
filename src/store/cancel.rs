//! Ends jobs by an operator's order: out of `jobs`, into `dead` as `cancelled`, with a row in `attempts` that says so.
//!
//! Sets, not rows: [`pick`] a few, [`lock`] their lanes, [`cancel`] those that are still as they were picked.

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::JobKey;

/// Which unfinished jobs are meant; every `None` stands for any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) subscriptions: Option<Vec<i32>>,
    pub(crate) delivery: Option<Uuid>,
    pub(crate) event: Option<i32>,
    pub(crate) run: Option<i32>,
    /// Also what runs at this moment: its claim ends, so its result is refused.
    pub(crate) running: bool,
}

impl Selection {
    fn deliveries(&self) -> (Uuid, Uuid) {
        (self.delivery.unwrap_or(Uuid::nil()), self.delivery.unwrap_or(Uuid::max()))
    }
}

/// A job that is to end.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Picked {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    pub(crate) run: i32,
    pub(crate) lane: Option<Vec<u8>>,
}

impl Picked {
    pub(crate) fn key(&self) -> JobKey {
        JobKey { delivery: self.delivery, event: self.event, subscription: self.subscription, run: self.run }
    }
}

/// The first key of all.
pub(crate) const FIRST: JobKey = JobKey { delivery: Uuid::nil(), event: i32::MIN, subscription: 0, run: 0 };

/// The selected jobs behind `after`, oldest delivery first: one walk over the primary key, however many calls it takes. In
/// a transaction of its own, where the caller has called [`super::claims::plan_by_index`].
pub(crate) async fn pick(
    conn: &mut PgConnection,
    wanted: &Selection,
    after: JobKey,
    limit: i64,
) -> sqlx::Result<Vec<Picked>> {
    let (first, last) = wanted.deliveries();
    sqlx::query_as(
        "select delivery, event, subscription, run, lane from hookgate.jobs
          where delivery >= $1 and delivery <= $2 and (delivery, event, subscription, run) > ($3, $4, $5, $6)
            and ($7::int is null or event = $7 or $7 = any(elements))
            and ($8::int[] is null or subscription = any($8))
            and ($9::int is null or run = $9)
            and ($10 or state <> 'running')
          order by delivery, event, subscription, run
          limit $11",
    )
    .bind(first)
    .bind(last)
    .bind(after.delivery)
    .bind(after.event)
    .bind(after.subscription)
    .bind(after.run)
    .bind(wanted.event)
    .bind(&wanted.subscriptions)
    .bind(wanted.run)
    .bind(wanted.running)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// How many jobs a selection meets: those that would end, and those of it that run.
pub(crate) async fn count(conn: &mut PgConnection, wanted: &Selection) -> sqlx::Result<(i64, i64)> {
    let (first, last) = wanted.deliveries();
    sqlx::query_as(
        "select count(*) filter (where $6 or state <> 'running'), count(*) filter (where state = 'running')
           from hookgate.jobs
          where delivery >= $1 and delivery <= $2
            and ($3::int is null or event = $3 or $3 = any(elements))
            and ($4::int[] is null or subscription = any($4))
            and ($5::int is null or run = $5)",
    )
    .bind(first)
    .bind(last)
    .bind(wanted.event)
    .bind(&wanted.subscriptions)
    .bind(wanted.run)
    .bind(wanted.running)
    .fetch_one(conn)
    .await
}

/// Locks lanes, sorted: before any job of theirs is touched.
pub(crate) async fn lock(conn: &mut PgConnection, lanes: &[&[u8]]) -> sqlx::Result<()> {
    sqlx::query("select from hookgate.lanes where lane = any($1) order by lane for no key update")
        .bind(lanes)
        .execute(conn)
        .await?;
    Ok(())
}

/// How cancelled jobs are remembered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Epitaph<'a> {
    /// Who, and why.
    pub(crate) text: &'a str,
    /// The handler that goes on with it.
    pub(crate) redriven_to: Option<&'a str>,
}

/// Ends these jobs, except what began to run meanwhile (unless `running`) or came back into a lane that is not among
/// `locked`. Which of them ended.
///
/// Of a running job the claim ends too: in a lane the lane's, so that the worker's settle meets no row that it may change.
/// A waiting one leaves no mark of having run: `done_seq` stays, and its lane may go on at once. The caller holds the lanes,
/// and gives the jobs in the order of their keys.
pub(crate) async fn cancel(
    conn: &mut PgConnection,
    jobs: &[JobKey],
    locked: &[&[u8]],
    running: bool,
    epitaph: Epitaph<'_>,
) -> sqlx::Result<Vec<Picked>> {
    let deliveries: Vec<Uuid> = jobs.iter().map(|job| job.delivery).collect();
    let events: Vec<i32> = jobs.iter().map(|job| job.event).collect();
    let subscriptions: Vec<i32> = jobs.iter().map(|job| job.subscription).collect();
    let runs: Vec<i32> = jobs.iter().map(|job| job.run).collect();
    sqlx::query_as(
        "with target as materialized (
             -- Lateral and locking, so that it is a look by key for each: as a join it may walk through all jobs.
             select t.*
               from unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) as k(delivery, event, subscription, run)
              cross join lateral (
                    select j.delivery, j.event, j.subscription, j.run from hookgate.jobs j
                     where (j.delivery, j.event, j.subscription, j.run) = (k.delivery, k.event, k.subscription, k.run)
                       and ($6 or j.state <> 'running') and (j.lane is null or j.lane = any($5))
                       for update) t
         ), gone as (
             delete from hookgate.jobs j using target t
              where (j.delivery, j.event, j.subscription, j.run) = (t.delivery, t.event, t.subscription, t.run)
             returning j.*
         ), lane as (
             update hookgate.lanes l
                set pending = l.pending - g.jobs,
                    snoozed = greatest(0, l.snoozed - g.aside),
                    state = case when l.state in ('halted', 'paused') or (l.state = 'claimed' and not g.ran) then l.state
                                 when l.pending > g.jobs then 'ready' else 'idle' end,
                    worker = case when g.ran then null else l.worker end,
                    claim = case when g.ran then null else l.claim end,
                    due = least(l.due, now()),
                    touched_at = clock_timestamp()
               from (select lane, count(*)::int as jobs, bool_or(state = 'running') as ran,
                            (count(*) filter (where snoozed_until is not null))::int as aside
                       from gone where lane is not null group by lane) g
              where l.lane = g.lane
         ), buried as (
             insert into hookgate.dead
                    (delivery, event, subscription, run, retention, lane, lane_label, seq, version, attempt, reason, error,
                     elements, redriven_to)
             select g.delivery, g.event, g.subscription, g.run, g.retention, coalesce(g.lane, g.home), l.label, g.seq,
                    g.version, g.attempt + case g.state when 'running' then 0 else 1 end, 'cancelled', $7, g.elements, $8
               from gone g left join hookgate.lanes l on l.lane = coalesce(g.lane, g.home)
                 on conflict do nothing
         ), logged as (
             insert into hookgate.attempts
                    (retention, delivery, event, subscription, run, attempt, seq, outcome, started_at, ended_at, error,
                     out_of_order, elements)
             select retention, delivery, event, subscription, run, attempt + case state when 'running' then 0 else 1 end,
                    seq, 'cancelled', case state when 'running' then coalesce(started_at, now()) else now() end,
                    clock_timestamp(), $7, out_of_order, elements
               from gone
                 on conflict do nothing
         )
         select delivery, event, subscription, run, lane from gone",
    )
    .bind(deliveries)
    .bind(events)
    .bind(subscriptions)
    .bind(runs)
    .bind(locked)
    .bind(running)
    .bind(epitaph.text)
    .bind(epitaph.redriven_to)
    .fetch_all(conn)
    .await
}
