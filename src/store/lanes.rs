//! `lanes`: the jobs of one subscription with one ordering key. The row carries the order, the claim and the wake-up.
//!
//! The counter `pending` lives in the row that ingest and settle both lock, so neither can miss the other: a job
//! committed between a worker's last look and its release is counted by the time the release decides.

use std::time::Duration;

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::record::NewJob;
use super::{LaneKey, Token};

/// A claimed lane.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct ClaimedLane {
    pub(crate) lane: Vec<u8>,
    pub(crate) subscription: i32,
    /// Only the newest in it counts.
    pub(crate) latest: bool,
    /// It starts in the provider's order.
    pub(crate) sorted: bool,
}

/// Claims lanes that [`super::pick::pick`] locked in this transaction.
pub(crate) async fn take(conn: &mut PgConnection, lanes: &[LaneKey], token: Token) -> sqlx::Result<Vec<ClaimedLane>> {
    let lanes: Vec<&[u8]> = lanes.iter().map(LaneKey::as_slice).collect();
    sqlx::query_as(
        "update hookgate.lanes l
            set state = 'claimed', worker = $2, claim = $3, touched_at = now()
           from unnest($1::bytea[]) as picked(lane)
          where l.lane = picked.lane
         returning l.lane, l.subscription,
                   (select s.ordering = 'latest' from hookgate.subscriptions s where s.id = l.subscription) as latest,
                   (select s.routing ? 'reorder_ms' from hookgate.subscriptions s where s.id = l.subscription) as sorted",
    )
    .bind(lanes)
    .bind(token.worker)
    .bind(token.n)
    .fetch_all(conn)
    .await
}

/// How a lane moves on when an attempt in it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Advance {
    /// Jobs that left the lane: 0 or 1.
    pub(crate) left: i32,
    /// The sequence that ended, if one did.
    pub(crate) ended_seq: Option<i64>,
    /// Jobs that stepped aside and stay.
    pub(crate) stepped_aside: i32,
    /// Whether the claim ends here.
    pub(crate) release: Option<Release>,
    /// What was handled, where the lane keeps a mark of the newest.
    pub(crate) mark: Option<Mark>,
}

/// How new something is: by version, and by sequence where versions are equal or one of the two has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) version: Option<i64>,
    pub(crate) seq: i64,
    /// Whether it must be newer than what was handled before: else nothing is changed, as if the claim had been lost.
    pub(crate) must_raise: bool,
}

/// When a released lane may be claimed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Release {
    /// At once, if anything is pending.
    Now,
    /// Not before its head's retry.
    After(Duration),
    /// The same if its newest is alone; at once if there is another, which may be newer.
    AfterUnlessMore(Duration),
    /// Not before an operator acts.
    Halted,
}

/// A lane that was moved on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub(crate) struct Advanced {
    /// Jobs of the lane that stand aside.
    pub(crate) snoozed: i32,
    /// Whether the claim is over: as wanted, or because the lane is to be paused.
    pub(crate) released: bool,
}

/// Whether what was handled (version $11, sequence $12) raises the lane's mark. A replay by force handles what is older, and
/// leaves the mark where it is.
macro_rules! raises {
    () => {
        "coalesce($12::bigint is not null
                  and (mark_seq is null
                       or case when $11::bigint is not null and version is not null
                               then ($11, $12) > (version, mark_seq) else $12 > mark_seq end), false)"
    };
}

/// Moves a claimed lane on. The match on the token is the fence: `None` means that the claim was lost, and nothing
/// changed. A lane that an operator wants paused is released whatever was wanted.
pub(crate) async fn advance(
    conn: &mut PgConnection,
    lane: &LaneKey,
    token: Token,
    step: Advance,
) -> sqlx::Result<Option<Advanced>> {
    let wait = match step.release {
        Some(Release::After(wait) | Release::AfterUnlessMore(wait)) => wait.as_millis() as f64,
        Some(Release::Now | Release::Halted) | None => 0.0,
    };
    // clock_timestamp(), not now(): this may be the last statement of a handler's long transaction.
    sqlx::query_as(concat!(
        "update hookgate.lanes
            set pending = pending - $4,
                done_seq = greatest(done_seq, coalesce($5, 0)),
                snoozed = snoozed + $6,
                state = case when not ($7 or pausing) then state when $9 then 'halted' when pausing then 'paused'
                             when pending - $4 > 0 then 'ready' else 'idle' end,
                pausing = false,
                worker = case when $7 or pausing then null else worker end,
                claim = case when $7 or pausing then null else claim end,
                due = case when not ($7 or pausing) then due
                           when $10 and pending - $4 > 1 then clock_timestamp()
                           else clock_timestamp() + $8 * interval '1 millisecond' end,
                version = case when ",
        raises!(),
        " then $11 else version end,
                mark_seq = case when ",
        raises!(),
        " then $12 else mark_seq end,
                touched_at = clock_timestamp()
          where lane = $1 and worker = $2 and claim = $3 and (not $13 or ",
        raises!(),
        ")
         returning snoozed, worker is null as released",
    ))
    .bind(lane.as_slice())
    .bind(token.worker)
    .bind(token.n)
    .bind(step.left)
    .bind(step.ended_seq)
    .bind(step.stepped_aside)
    .bind(step.release.is_some())
    .bind(wait)
    .bind(step.release == Some(Release::Halted))
    .bind(matches!(step.release, Some(Release::AfterUnlessMore(_))))
    .bind(step.mark.and_then(|mark| mark.version))
    .bind(step.mark.map(|mark| mark.seq))
    .bind(step.mark.is_some_and(|mark| mark.must_raise))
    .fetch_optional(conn)
    .await
}

/// Notes that nobody in the lane stands aside any more. The caller holds the lane's row lock.
pub(crate) async fn clear_snoozed(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<()> {
    sqlx::query("update hookgate.lanes set snoozed = 0 where lane = $1").bind(lane.as_slice()).execute(conn).await?;
    Ok(())
}

/// Locks lanes that `worker` holds, for a rescue. Locked ones are being settled right now: the settle wins.
pub(crate) async fn lock_orphans(conn: &mut PgConnection, worker: Uuid, limit: i64) -> sqlx::Result<Vec<Orphan>> {
    sqlx::query_as(
        "select lane, claim from hookgate.lanes
          where worker = $1 order by lane limit $2 for no key update skip locked",
    )
    .bind(worker)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// A lane whose worker fell silent.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Orphan {
    pub(crate) lane: Vec<u8>,
    pub(crate) claim: i64,
}

/// Makes the waiting head's lane due at once, if it waits for a job of this event, of one subscription or any. Lanes
/// before jobs: the caller then calls [`super::jobs::hasten`].
pub(crate) async fn hasten(
    conn: &mut PgConnection,
    delivery: Uuid,
    event: i32,
    subscription: Option<i32>,
) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.lanes l set due = now()
           from (select lane from hookgate.lanes
                  where state = 'ready' and due > now()
                    and lane in (select lane from hookgate.jobs
                                  where delivery = $1 and (event = $2 or $2 = any(elements))
                                    and state = 'waiting' and lane is not null
                                    and ($3::int is null or subscription = $3))
                  order by lane for no key update) w
          where l.lane = w.lane",
    )
    .bind(delivery)
    .bind(event)
    .bind(subscription)
    .execute(conn)
    .await?;
    Ok(())
}

/// Lanes by state, for the metrics.
pub(crate) async fn count_by_state(conn: &mut PgConnection) -> sqlx::Result<Vec<(String, i64)>> {
    sqlx::query_as("select state, count(*) from hookgate.lanes where state <> 'idle' group by state")
        .fetch_all(conn)
        .await
}

/// Removes lanes that have been idle for `age`, those with a mark for `marked`, a few at a time. Made anew, a lane numbers on
/// from the present microsecond, so its sequence never goes back. One that dead jobs came from stays: what it lacks is shown.
pub(crate) async fn purge_idle(
    conn: &mut PgConnection,
    age: Duration,
    marked: Duration,
    limit: i64,
) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "delete from hookgate.lanes
          where lane in (select lane from hookgate.lanes l
                          where state = 'idle' and pending = 0
                            and touched_at < now()
                                - case when mark_seq is null then $1 else $3 end::float8 * interval '1 millisecond'
                            and not exists (select from hookgate.dead d where d.lane = l.lane)
                          order by lane limit $2 for update skip locked)",
    )
    .bind(age.as_millis() as f64)
    .bind(limit)
    .bind(marked.as_millis() as f64)
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// Whether a dead head halts this lane, as its handler has it.
pub(crate) async fn halts(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<bool> {
    let halts: Option<bool> = sqlx::query_scalar(
        "select coalesce((s.routing ->> 'halts')::boolean, false)
           from hookgate.lanes l join hookgate.subscriptions s on s.id = l.subscription where l.lane = $1",
    )
    .bind(lane.as_slice())
    .fetch_optional(conn)
    .await?;
    Ok(halts.unwrap_or(false))
}

/// A lane whose counter was not what its jobs say.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Repaired {
    pub(crate) subscription: i32,
    pub(crate) pending: i32,
    pub(crate) counted: i32,
}

/// Lanes whose counter does not fit their jobs.
pub(crate) async fn miscounted(conn: &mut PgConnection, limit: i64) -> sqlx::Result<Vec<Vec<u8>>> {
    sqlx::query_scalar(
        "with counted as materialized (
             select lane, count(*) as jobs from hookgate.jobs where lane is not null group by lane
         )
         select l.lane from hookgate.lanes l left join counted c using (lane)
          where l.pending <> coalesce(c.jobs, 0)
          limit $1",
    )
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// Sets the counter of these lanes to what their jobs say, where it was wrong. Jobs come and go only under their lane's lock,
/// so they are counted by a statement after the one that takes it. Inside a transaction.
pub(crate) async fn recount(conn: &mut PgConnection, lanes: &[Vec<u8>]) -> sqlx::Result<Vec<Repaired>> {
    let locked: Vec<Vec<u8>> = sqlx::query_scalar(
        "select lane from hookgate.lanes where lane = any($1) order by lane for no key update skip locked",
    )
    .bind(lanes)
    .fetch_all(&mut *conn)
    .await?;
    sqlx::query_as(
        "with counted as materialized (
             select l.lane, l.pending as was, count(j.lane)::int as jobs
               from hookgate.lanes l left join hookgate.jobs j using (lane)
              where l.lane = any($1)
              group by l.lane
         )
         update hookgate.lanes l
            set pending = c.jobs,
                state = case when c.jobs > 0 and l.state = 'idle' then 'ready'
                             when c.jobs = 0 and l.state = 'ready' then 'idle'
                             else l.state end
           from counted c
          where l.lane = c.lane and l.pending <> c.jobs
         returning l.subscription, c.was as pending, c.jobs as counted",
    )
    .bind(&locked)
    .fetch_all(conn)
    .await
}

/// Locks every lane that the jobs of these events stand in or would come back to, and the lanes of `jobs` that are not
/// queued yet; the dead rows of the events before them. Sorted, and all at once: whoever then redrives, hastens or queues
/// several jobs waits for no lane while it holds a job, and for none that sorts before one it holds.
///
/// A lane that was purged is made anew, idle: it could not be locked otherwise.
pub(crate) async fn lock(conn: &mut PgConnection, events: &[(Uuid, i32)], jobs: &[&NewJob]) -> sqlx::Result<()> {
    if events.is_empty() && jobs.is_empty() {
        return Ok(());
    }
    let (deliveries, numbers): (Vec<Uuid>, Vec<i32>) = events.iter().copied().unzip();
    let ordered = jobs.iter().filter_map(|job| job.lane.as_ref().map(|(lane, label)| (lane, label, job.subscription)));
    let (mut keys, mut labels, mut subscriptions) = (Vec::new(), Vec::new(), Vec::new());
    for (lane, label, subscription) in ordered {
        keys.push(lane.as_slice());
        labels.push(label.as_str());
        subscriptions.push(subscription);
    }
    sqlx::query(
        "with event as materialized (
             select * from unnest($1::uuid[], $2::int[]) as e(delivery, event)
         ), ticket as materialized (
             select d.lane, d.subscription, d.lane_label
               from hookgate.dead d
               join event e on d.delivery = e.delivery and (d.event = e.event or e.event = any(d.elements))
              order by d.delivery, d.event, d.subscription, d.run
                for update of d
         ), wanted (lane, subscription, label, class) as (
             select lane, subscription, coalesce(lane_label, ''), 0 from ticket
              union all
             select j.lane, j.subscription, '', 0
               from hookgate.jobs j
               join event e on j.delivery = e.delivery and (j.event = e.event or e.event = any(j.elements))
              union all
             select lane, subscription, label, 2
               from unnest($3::bytea[], $4::int[], $5::text[]) as n(lane, subscription, label)
         )
         insert into hookgate.lanes (lane, subscription, label, state, class, pending, next_seq, due)
         select lane, min(subscription), max(label), 'idle', min(class), 0,
                (extract(epoch from clock_timestamp()) * 1000000)::bigint, now()
           from wanted where lane is not null
          group by lane
          order by lane
             on conflict (lane) do update set touched_at = clock_timestamp()",
    )
    .bind(&deliveries)
    .bind(&numbers)
    .bind(&keys)
    .bind(&subscriptions)
    .bind(&labels)
    .execute(conn)
    .await?;
    Ok(())
}
