//! Which lanes and jobs a claim takes: one statement over `lanes` and `jobs`, for every handler at once.

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::JobKey;
use crate::deliver::share::{Grab, Queue};

/// Who shares places, and what they ask for in the order in which it is due to them.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) places: i64,
    /// The breaker that this is the one try of.
    pub(crate) probes: Option<&'a str>,
    pub(crate) grabs: Vec<Grab>,
}

/// A lane, or a job outside any, that is locked for this transaction's claim.
#[derive(Debug, FromRow)]
pub(crate) struct Picked {
    subscription: i32,
    class: i16,
    pub(crate) lane: Option<Vec<u8>>,
    delivery: Option<Uuid>,
    event: Option<i32>,
    run: Option<i32>,
}

impl Picked {
    pub(crate) fn queue(&self) -> Queue {
        Queue { subscription: self.subscription, class: self.class, in_lanes: self.lane.is_some() }
    }

    pub(crate) fn job(&self) -> Option<JobKey> {
        let (delivery, event, run) = (self.delivery?, self.event?, self.run?);
        Some(JobKey { delivery, event, subscription: self.subscription, run })
    }
}

/// Locks ready lanes and due jobs for each group: of each queue in the order given up to what is asked, the earliest
/// first, until the group's places are taken. Jobs outside lanes that a rescue put back only with `suspects`.
///
/// The innermost laterals run once a queue over `lanes_ready` and `jobs_due` (subscription, class, due), so a backlog of one
/// can't hide another's work, and a crowd that waits for the future is passed by in one step. Each limit stops what is
/// below it, so nothing is locked that is not returned. `now()` and not `clock_timestamp()`, which being volatile could
/// not bound the index scan. `skip locked`: what ingest or settle is touching is left to the next look instead of waited
/// for. The look at `subscriptions` has a limit because without one it would be a join, whose order is the planner's to
/// choose. The caller has called [`super::claims::plan_by_index`].
pub(crate) async fn pick(conn: &mut PgConnection, groups: &[Group<'_>], suspects: bool) -> sqlx::Result<Vec<Picked>> {
    let (mut places, mut first, mut last) = (Vec::new(), Vec::new(), Vec::new());
    let mut grabs: Vec<Grab> = Vec::new();
    for group in groups {
        places.push(group.places);
        first.push(grabs.len() as i32 + 1);
        grabs.extend(&group.grabs);
        last.push(grabs.len() as i32);
    }
    if grabs.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_as(
        "select p.*
           from unnest($1::bigint[], $2::int[], $3::int[]) as w(places, first, last)
          cross join lateral (
                select g.subscription, g.class, q.*
                  from unnest(($4::int[])[w.first:w.last], ($5::smallint[])[w.first:w.last],
                              ($6::bool[])[w.first:w.last], ($7::bigint[])[w.first:w.last])
                       as g(subscription, class, in_lanes, n)
                 cross join lateral (
                       select from hookgate.subscriptions s where s.id = g.subscription and not s.paused limit 1) s
                 cross join lateral (
                       select l.lane, null::uuid as delivery, null::int as event, null::int as run
                         from (select l.lane from hookgate.lanes l
                                where g.in_lanes and l.subscription = g.subscription and l.state = 'ready'
                                  and l.class = g.class and l.due <= now()
                                order by l.due
                                limit g.n
                                  for no key update skip locked) l
                        union all
                       select null, j.delivery, j.event, j.run
                         from (select j.delivery, j.event, j.run from hookgate.jobs j
                                where not g.in_lanes and j.subscription = g.subscription and j.lane is null
                                  and j.class = g.class and j.due <= now() and j.state in ('ready', 'waiting')
                                  and (j.snoozed_until is null or j.snoozed_until <= now())
                                  and ($8 or j.rescues = 0)
                                order by j.due
                                limit g.n
                                  for no key update skip locked) j) q
                 limit w.places) p",
    )
    .bind(places)
    .bind(first)
    .bind(last)
    .bind(grabs.iter().map(|grab| grab.queue.subscription).collect::<Vec<_>>())
    .bind(grabs.iter().map(|grab| grab.queue.class).collect::<Vec<_>>())
    .bind(grabs.iter().map(|grab| grab.queue.in_lanes).collect::<Vec<_>>())
    .bind(grabs.iter().map(|grab| grab.at_most).collect::<Vec<_>>())
    .bind(suspects)
    .fetch_all(conn)
    .await
}
