//! Unfinished jobs, all handlers'.

use serde::Serialize;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::Stamp;
use crate::store::JobKey;

/// Which jobs; every `None` stands for any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) state: Option<&'static str>,
    pub(crate) subscriptions: Option<Vec<i32>>,
    /// Keys of lanes.
    pub(crate) lanes: Option<Vec<Vec<u8>>>,
    /// Whether its time has come.
    pub(crate) due: Option<bool>,
}

impl Filter {
    pub(crate) fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// An unfinished job.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct QueuedRow {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    #[serde(skip)]
    pub(crate) subscription: i32,
    /// 0 is live, others are replays.
    pub(crate) run: i32,
    pub(crate) source: String,
    pub(crate) handler: String,
    pub(crate) state: String,
    /// Whether it is kept from starting by a pause of its handler, its source, both or all.
    pub(crate) paused: bool,
    pub(crate) attempt: i32,
    pub(crate) failures: i32,
    pub(crate) rescues: i32,
    pub(crate) due: Stamp,
    pub(crate) snoozed_until: Option<Stamp>,
    pub(crate) started_at: Option<Stamp>,
    pub(crate) worker: Option<Uuid>,
    pub(crate) lane: Option<String>,
    pub(crate) seq: Option<i64>,
    pub(crate) out_of_order: bool,
}

impl QueuedRow {
    pub(crate) fn key(&self) -> JobKey {
        JobKey { delivery: self.delivery, event: self.event, subscription: self.subscription, run: self.run }
    }
}

/// The matches among the newest `examined` jobs below a key, newest delivery first: backwards over the primary key, so that
/// no filter makes it read the table.
pub(crate) async fn list(
    conn: &mut PgConnection,
    below: JobKey,
    examined: i64,
    filter: &Filter,
    limit: i64,
) -> sqlx::Result<Vec<QueuedRow>> {
    sqlx::query_as(
        "select j.delivery, j.event, j.subscription, j.run, s.name as source, h.name as handler, j.state, u.paused,
                j.attempt, j.failures, j.rescues, j.due, j.snoozed_until, j.started_at,
                case j.state when 'running' then coalesce(j.worker, l.worker) end as worker, l.label as lane, j.seq,
                j.out_of_order
           from (select * from hookgate.jobs
                  where (delivery, event, subscription, run) < ($1, $2, $3, $4)
                  order by delivery desc, event desc, subscription desc, run desc
                  limit $5) j
           join hookgate.subscriptions u on u.id = j.subscription
           join hookgate.handlers h on h.id = u.handler
           join hookgate.sources s on s.id = u.source
           left join hookgate.lanes l on l.lane = j.lane
          where ($6::text is null or j.state = $6)
            and ($7::int[] is null or j.subscription = any($7))
            and ($8::bytea[] is null or j.lane = any($8))
            and ($9::bool is null or (j.due <= clock_timestamp()
                                      and (j.snoozed_until is null or j.snoozed_until <= clock_timestamp())) = $9)
          order by j.delivery desc, j.event desc, j.subscription desc, j.run desc
          limit $10",
    )
    .bind(below.delivery)
    .bind(below.event)
    .bind(below.subscription)
    .bind(below.run)
    .bind(examined)
    .bind(filter.state)
    .bind(&filter.subscriptions)
    .bind(&filter.lanes)
    .bind(filter.due)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// The key of the `rows`-th newest job below a key; `None`: there are fewer.
pub(crate) async fn nth_newest(
    conn: &mut PgConnection,
    below: JobKey,
    rows: i64,
) -> sqlx::Result<Option<(Uuid, i32, i32, i32)>> {
    sqlx::query_as(
        "select delivery, event, subscription, run from hookgate.jobs
          where (delivery, event, subscription, run) < ($1, $2, $3, $4)
          order by delivery desc, event desc, subscription desc, run desc
          limit 1 offset $5 - 1",
    )
    .bind(below.delivery)
    .bind(below.event)
    .bind(below.subscription)
    .bind(below.run)
    .bind(rows)
    .fetch_optional(conn)
    .await
}
