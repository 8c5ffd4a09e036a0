//! What an operator does to one lane. The lane's row is locked first, so nobody claims, settles or fills it meanwhile.

use sqlx::{FromRow, PgConnection};

use super::{JobKey, LaneKey};
use crate::job::Death;

/// A lane as it stands, locked.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Standing {
    pub(crate) state: String,
    pub(crate) pausing: bool,
    pub(crate) latest: bool,
}

/// Locks the lane; `None`: there is none of this key.
pub(crate) async fn lock(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<Option<Standing>> {
    sqlx::query_as(
        "select l.state, l.pausing, s.ordering = 'latest' as latest
           from hookgate.lanes l join hookgate.subscriptions s on s.id = l.subscription
          where l.lane = $1 for no key update of l",
    )
    .bind(lane.as_slice())
    .fetch_optional(conn)
    .await
}

/// Nothing of it is claimed any more, until it is resumed.
pub(crate) async fn pause(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<()> {
    sqlx::query("update hookgate.lanes set state = 'paused', touched_at = now() where lane = $1")
        .bind(lane.as_slice())
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether it is to be paused when its claim ends. The claim holds: what runs, runs to its end.
pub(crate) async fn set_pausing(conn: &mut PgConnection, lane: &LaneKey, pausing: bool) -> sqlx::Result<()> {
    sqlx::query("update hookgate.lanes set pausing = $2 where lane = $1")
        .bind(lane.as_slice())
        .bind(pausing)
        .execute(conn)
        .await?;
    Ok(())
}

/// It goes on, at once if anything is pending.
pub(crate) async fn resume(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.lanes
            set state = case when pending > 0 then 'ready' else 'idle' end, due = now(), touched_at = now()
          where lane = $1",
    )
    .bind(lane.as_slice())
    .execute(conn)
    .await?;
    Ok(())
}

/// The job that would run next; the running one, if one runs.
pub(crate) async fn head(conn: &mut PgConnection, lane: &LaneKey, latest: bool) -> sqlx::Result<Option<JobKey>> {
    let found: Option<(uuid::Uuid, i32, i32, i32)> = sqlx::query_as(
        "select delivery, event, subscription, run from hookgate.jobs
          where lane = $1
          order by state <> 'running', coalesce(snoozed_until > clock_timestamp(), false),
                   case when $2 then version end desc nulls last, case when $2 then -seq else seq end, run
          limit 1",
    )
    .bind(lane.as_slice())
    .bind(latest)
    .fetch_optional(conn)
    .await?;
    Ok(found.map(|(delivery, event, subscription, run)| JobKey { delivery, event, subscription, run }))
}

/// Takes queued jobs out of the lane, one or all that do not run, and puts them among the dead, from where they can be
/// redriven to their place; how many. One statement, however many.
pub(crate) async fn bury(
    conn: &mut PgConnection,
    lane: &LaneKey,
    only: Option<JobKey>,
    why: &str,
) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "with gone as (
             delete from hookgate.jobs
              where lane = $1 and state <> 'running'
                and ($2::uuid is null or (delivery, event, subscription, run) = ($2, $3, $4, $5))
             returning *
         ), buried as (
             insert into hookgate.dead
                    (delivery, event, subscription, run, retention, lane, lane_label, seq, version, attempt, reason, error,
                     elements)
             select g.delivery, g.event, g.subscription, g.run, g.retention, g.lane, l.label, g.seq, g.version, g.attempt,
                    $6, $7, g.elements
               from gone g join hookgate.lanes l using (lane)
              order by g.delivery, g.event, g.subscription, g.run
         ), counted as (
             update hookgate.lanes
                set pending = pending - (select count(*) from gone),
                    state = case when state = 'ready' and pending = (select count(*) from gone) then 'idle' else state end,
                    due = case when state = 'ready' then now() else due end
              where lane = $1
         )
         select count(*) from gone",
    )
    .bind(lane.as_slice())
    .bind(only.map(|key| key.delivery))
    .bind(only.map(|key| key.event))
    .bind(only.map(|key| key.subscription))
    .bind(only.map(|key| key.run))
    .bind(Death::Cancelled.as_str())
    .bind(why)
    .fetch_one(conn)
    .await
}
