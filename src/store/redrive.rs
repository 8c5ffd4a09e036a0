//! The jobs of one handler handed over to another: what there is to hand over, and what the other one has already.

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::JobKey;
use super::deliveries::Locked;

/// A job that may be handed over: queued, or dead for whatever reason.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Movable {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    pub(crate) run: i32,
    pub(crate) lane: Option<Vec<u8>>,
    pub(crate) elements: Option<Vec<i32>>,
    pub(crate) is_dead: bool,
}

impl Movable {
    pub(crate) fn key(&self) -> JobKey {
        JobKey { delivery: self.delivery, event: self.event, subscription: self.subscription, run: self.run }
    }

    /// The events it stands for.
    pub(crate) fn events(&self) -> Vec<i32> {
        self.elements.clone().unwrap_or_else(|| vec![self.event])
    }
}

/// What may be handed over behind `after`, oldest delivery first, so that the other handler gets it in received order. What
/// runs is left, and what was handed over before. In a transaction of its own, where the caller has called
/// [`super::claims::plan_by_index`].
pub(crate) async fn pick(
    conn: &mut PgConnection,
    subscriptions: &[i32],
    after: JobKey,
    limit: i64,
) -> sqlx::Result<Vec<Movable>> {
    // Two walks and a merge here: their union would have to be sorted, which the settings of the plan forbid.
    let mut movable = walk(
        &mut *conn,
        "select delivery, event, subscription, run, lane, elements, false as is_dead from hookgate.jobs
          where (delivery, event, subscription, run) > ($1, $2, $3, $4) and subscription = any($5)
            and state <> 'running'
          order by delivery, event, subscription, run limit $6",
        subscriptions,
        after,
        limit,
    )
    .await?;
    let dead = walk(
        conn,
        "select delivery, event, subscription, run, lane, elements, true as is_dead from hookgate.dead
          where (delivery, event, subscription, run) > ($1, $2, $3, $4) and subscription = any($5)
            and redriven_to is null
          order by delivery, event, subscription, run limit $6",
        subscriptions,
        after,
        limit,
    )
    .await?;
    movable.extend(dead);
    movable.sort_by_key(|job| (job.delivery, job.event, job.subscription, job.run));
    movable.truncate(limit as usize);
    Ok(movable)
}

async fn walk(
    conn: &mut PgConnection,
    sql: &'static str,
    subscriptions: &[i32],
    after: JobKey,
    limit: i64,
) -> sqlx::Result<Vec<Movable>> {
    sqlx::query_as(sql)
        .bind(after.delivery)
        .bind(after.event)
        .bind(after.subscription)
        .bind(after.run)
        .bind(subscriptions)
        .bind(limit)
        .fetch_all(conn)
        .await
}

/// How much may be handed over, and how much runs and is left.
pub(crate) async fn count(conn: &mut PgConnection, subscriptions: &[i32]) -> sqlx::Result<(i64, i64)> {
    sqlx::query_as(
        "select (select count(*) from hookgate.jobs where subscription = any($1) and state <> 'running')
                + (select count(*) from hookgate.dead where subscription = any($1) and redriven_to is null),
                (select count(*) from hookgate.jobs where subscription = any($1) and state = 'running')",
    )
    .bind(subscriptions)
    .fetch_one(conn)
    .await
}

/// A delivery under its lock.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Facts {
    pub(crate) id: Uuid,
    #[sqlx(flatten)]
    pub(crate) delivery: Locked,
}

/// Locks deliveries, as a replay locks its one: whoever queues jobs of theirs comes one after the other.
pub(crate) async fn lock(conn: &mut PgConnection, deliveries: &[Uuid]) -> sqlx::Result<Vec<Facts>> {
    sqlx::query_as(
        "select id, source, retention, event_type, ordering_key, version, events, batch, own, filtered
           from hookgate.deliveries where id = any($1) order by id for no key update",
    )
    .bind(deliveries)
    .fetch_all(conn)
    .await
}

/// The events of these deliveries that a subscription has worked on, works on, or will: none of them is made anew. What it
/// handed over to another handler itself does not count, since that may come back.
pub(crate) async fn standing(
    conn: &mut PgConnection,
    deliveries: &[Uuid],
    subscriptions: &[i32],
) -> sqlx::Result<Vec<(Uuid, i32, i32)>> {
    sqlx::query_as(
        "select distinct w.delivery, e.event, w.subscription
           from (select delivery, event, subscription, elements from hookgate.jobs
                  where delivery = any($1) and subscription = any($2)
                  union all
                 select delivery, event, subscription, elements from hookgate.dead
                  where delivery = any($1) and subscription = any($2) and redriven_to is null
                  union all
                 select delivery, event, subscription, elements from hookgate.attempts a
                  where delivery = any($1) and subscription = any($2)
                    and not exists (select from hookgate.dead d
                                     where (d.delivery, d.event, d.subscription, d.run)
                                           = (a.delivery, a.event, a.subscription, a.run)
                                       and d.redriven_to is not null)) w
          cross join lateral unnest(coalesce(w.elements, array[w.event])) as e(event)",
    )
    .bind(deliveries)
    .bind(subscriptions)
    .fetch_all(conn)
    .await
}

/// Marks dead jobs as handed over; which of them were still there to be.
pub(crate) async fn hand_over(
    conn: &mut PgConnection,
    jobs: &[JobKey],
    to: &str,
    text: &str,
) -> sqlx::Result<Vec<(Uuid, i32, i32, i32)>> {
    let deliveries: Vec<Uuid> = jobs.iter().map(|job| job.delivery).collect();
    let events: Vec<i32> = jobs.iter().map(|job| job.event).collect();
    let subscriptions: Vec<i32> = jobs.iter().map(|job| job.subscription).collect();
    let runs: Vec<i32> = jobs.iter().map(|job| job.run).collect();
    sqlx::query_as(
        "with target as materialized (
             -- A look by key for each, as in `cancel`.
             select t.*
               from unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) as k(delivery, event, subscription, run)
              cross join lateral (
                    select d.delivery, d.event, d.subscription, d.run from hookgate.dead d
                     where (d.delivery, d.event, d.subscription, d.run) = (k.delivery, k.event, k.subscription, k.run)
                       and d.redriven_to is null
                       for update) t
         )
         update hookgate.dead d set reason = 'cancelled', error = $6, redriven_to = $5
           from target t
          where (d.delivery, d.event, d.subscription, d.run) = (t.delivery, t.event, t.subscription, t.run)
         returning d.delivery, d.event, d.subscription, d.run",
    )
    .bind(deliveries)
    .bind(events)
    .bind(subscriptions)
    .bind(runs)
    .bind(to)
    .bind(text)
    .fetch_all(conn)
    .await
}

/// Takes back what a subscription once handed over itself, so that its attempts go on counting: from the row it left in
/// `dead`, if it did, onto the job that was made for it.
pub(crate) async fn take_back(conn: &mut PgConnection, key: JobKey) -> sqlx::Result<()> {
    sqlx::query(
        "with left_here as (
             delete from hookgate.dead
              where delivery = $1 and event = $2 and subscription = $3 and run = $4 and redriven_to is not null
             returning attempt
         )
         update hookgate.jobs set attempt = (select attempt from left_here)
          where delivery = $1 and event = $2 and subscription = $3 and run = $4 and exists (select from left_here)",
    )
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(key.run)
    .execute(conn)
    .await?;
    Ok(())
}
