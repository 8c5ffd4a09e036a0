//! `dead`: jobs that ended badly. The row is the ticket for a redrive.

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::{JobKey, storable};
use crate::job::Death;

/// The job that went back into the queue.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Redriven {
    pub(crate) subscription: i32,
    pub(crate) out_of_order: bool,
}

/// Who wants dead work back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// The provider, by sending again: what an operator cancelled is not its to revive.
    Sender,
    Operator,
}

/// Moves a job that its caller removed from `jobs` here.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    buried: &super::jobs::Buried,
    key: JobKey,
    death: Death,
    error: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query(
        "insert into hookgate.dead
                (delivery, event, subscription, run, retention, lane, lane_label, seq, version, attempt, reason, error,
                 elements)
         values ($1, $2, $3, $4, $5, $6, (select label from hookgate.lanes where lane = $6), $7, $8, $9, $10, $11,
                 $12)",
    )
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(key.run)
    .bind(&buried.retention)
    .bind(&buried.lane)
    .bind(buried.seq)
    .bind(buried.version)
    .bind(buried.attempt)
    .bind(death.as_str())
    .bind(error.map(|text| storable(text, 4096)))
    .bind(&buried.elements)
    .execute(conn)
    .await?;
    Ok(())
}

/// Queues the dead jobs of a delivery again, each once: whoever deletes the row inserts the job, zero rows means that
/// someone else did. The retry budget starts afresh; the attempt number goes on; a job of a lane re-enters at its
/// original place, so it runs next.
///
/// `event` and `subscriptions` narrow it. What was handed over to another handler is over here. Lock order dead → lanes (sorted) → jobs.
pub(crate) async fn redrive(
    conn: &mut PgConnection,
    delivery: Uuid,
    event: Option<i32>,
    subscriptions: Option<&[i32]>,
    asking: Asking,
) -> sqlx::Result<Vec<Redriven>> {
    sqlx::query_as(
        "with ticket as (
             delete from hookgate.dead
              where delivery = $1 and ($2::int is null or event = $2 or $2 = any(elements))
                and ($3::int[] is null or subscription = any($3))
                and redriven_to is null and ($4 or reason <> 'cancelled')
             returning *
         ), lane as (
             insert into hookgate.lanes as l (lane, subscription, label, state, class, pending, next_seq, due)
             select lane, min(subscription), coalesce(min(lane_label), ''), 'ready', 0, count(*),
                    (extract(epoch from clock_timestamp()) * 1000000)::bigint, now()
               from ticket where lane is not null group by lane order by lane
                 on conflict (lane) do update
                set pending = l.pending + excluded.pending,
                    state = case l.state when 'idle' then 'ready' else l.state end,
                    -- It may now be the head of a lane that waits for a later job's retry.
                    due = least(l.due, excluded.due)
             returning lane, done_seq
         )
         insert into hookgate.jobs
                (delivery, event, subscription, run, retention, class, lane, seq, version, attempt, elements,
                 out_of_order)
         select t.delivery, t.event, t.subscription, t.run, t.retention, 1, t.lane, t.seq, t.version, t.attempt, t.elements,
                -- Where only the newest counts, the sequence says nothing of the order.
                coalesce(l.done_seq > t.seq and s.ordering <> 'latest', false)
           from ticket t left join lane l using (lane) join hookgate.subscriptions s on s.id = t.subscription
         returning subscription, out_of_order",
    )
    .bind(delivery)
    .bind(event)
    .bind(subscriptions)
    .bind(asking == Asking::Operator)
    .fetch_all(conn)
    .await
}
