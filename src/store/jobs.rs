//! `jobs`: unfinished work. A row that is gone ended; its last `attempts` row says how.
//!
//! An unordered job carries its claim token; an ordered one is fenced by its lane's row, which its caller moves first,
//! and is written here with no token. `is not distinct from` serves both.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::{JobKey, LaneKey, Token};

/// A job as a worker needs it.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Job {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    pub(crate) run: i32,
    pub(crate) lane: Option<Vec<u8>>,
    pub(crate) seq: Option<i64>,
    /// The events it stands for, where its handler takes a batch whole; `event` is the first of them.
    pub(crate) elements: Option<Vec<i32>>,
    pub(crate) due: DateTime<Utc>,
    pub(crate) attempt: i32,
    pub(crate) failures: i32,
    pub(crate) rescues: i32,
    pub(crate) snoozed_ms: i64,
    /// How long ago it failed for the first time; in a lane, how long it has been its failing head.
    pub(crate) failing_ms: Option<i64>,
    pub(crate) out_of_order: bool,
    /// Whether another of its version was there.
    pub(crate) ambiguous: bool,
    pub(crate) version: Option<i64>,
    /// Whether its time has come, by the database's clock.
    pub(crate) is_due: bool,
}

impl Job {
    pub(crate) fn key(&self) -> JobKey {
        JobKey { delivery: self.delivery, event: self.event, subscription: self.subscription, run: self.run }
    }

    /// It runs now.
    pub(crate) fn started(&mut self, started: Started) {
        self.attempt = started.attempt;
        self.out_of_order = started.out_of_order;
        self.ambiguous = started.ambiguous;
    }
}

/// Claims and starts jobs that [`super::pick::pick`] locked in this transaction.
pub(crate) async fn take(conn: &mut PgConnection, jobs: &[JobKey], token: Token) -> sqlx::Result<Vec<Job>> {
    sqlx::query_as(
        "update hookgate.jobs j
            set state = 'running', worker = $5, claim = $6, attempt = j.attempt + 1, started_at = now(),
                snoozed_until = null
           from unnest($1::uuid[], $2::int[], $3::int[], $4::int[]) as p(delivery, event, subscription, run)
          where (j.delivery, j.event, j.subscription, j.run) = (p.delivery, p.event, p.subscription, p.run)
         returning j.delivery, j.event, j.subscription, j.run, j.lane, j.seq, j.elements, j.due, j.attempt, j.failures, j.rescues,
                   j.snoozed_ms, (extract(epoch from clock_timestamp() - j.failing_since) * 1000)::bigint as failing_ms,
                   j.out_of_order, j.ambiguous, j.version, true as is_due",
    )
    .bind(jobs.iter().map(|job| job.delivery).collect::<Vec<_>>())
    .bind(jobs.iter().map(|job| job.event).collect::<Vec<_>>())
    .bind(jobs.iter().map(|job| job.subscription).collect::<Vec<_>>())
    .bind(jobs.iter().map(|job| job.run).collect::<Vec<_>>())
    .bind(token.worker)
    .bind(token.n)
    .fetch_all(conn)
    .await
}

/// The first `limit` jobs of each lane in received order, without those that stand aside. A statement of its own after
/// the lanes are locked: its snapshot has every job that their counters count.
pub(crate) async fn heads(conn: &mut PgConnection, lanes: &[LaneKey], limit: i64) -> sqlx::Result<Vec<Job>> {
    let lanes: Vec<&[u8]> = lanes.iter().map(LaneKey::as_slice).collect();
    sqlx::query_as(
        "select h.*
           from unnest($1::bytea[]) as c(lane)
          cross join lateral (
                select j.delivery, j.event, j.subscription, j.run, j.lane, j.seq, j.elements, j.due, j.attempt, j.failures,
                       j.rescues, j.snoozed_ms, j.out_of_order, j.ambiguous, j.version, j.due <= clock_timestamp() as is_due,
                       (extract(epoch from clock_timestamp() - j.failing_since) * 1000)::bigint as failing_ms
                  from hookgate.jobs j
                 where j.lane = c.lane and (j.snoozed_until is null or j.snoozed_until <= clock_timestamp())
                 order by j.seq, j.run
                 limit $2) h
          order by h.lane, h.seq, h.run",
    )
    .bind(&lanes)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// In how many seconds the first job of the lane may run: its head's retry, or the return of one that stands aside,
/// whichever comes first. `None`: the lane is empty.
pub(crate) async fn earliest_due(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<Option<f64>> {
    sqlx::query_scalar(
        "select extract(epoch from least(
                  (select due from hookgate.jobs
                    where lane = $1 and snoozed_until is null order by seq, run limit 1),
                  (select min(snoozed_until) from hookgate.jobs
                    where lane = $1 and snoozed_until is not null)) - clock_timestamp())::float8",
    )
    .bind(lane.as_slice())
    .fetch_one(conn)
    .await
}

/// What starting a job made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
pub(crate) struct Started {
    pub(crate) attempt: i32,
    pub(crate) out_of_order: bool,
    pub(crate) ambiguous: bool,
}

/// Why a job of a lane may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    /// Nothing stands before it.
    First,
    /// It is the newest of its lane, wherever it stands.
    Newest {
        /// Another of its version was there.
        ambiguous: bool,
    },
}

/// Notes that the handler of an ordered job starts. Durable before it does: a crash then blames this job alone, and its
/// attempt number is never given out again. The caller holds the lane.
///
/// `None`: it is not to start, because it is gone or because one before it came back since the claim was made (redriven,
/// replayed, or done with standing aside) and runs first.
///
/// A version that is older than one that was handled is out of order, too, where its lane keeps a mark. Of the newest the
/// sequence says nothing, unless it has no version.
pub(crate) async fn start(conn: &mut PgConnection, key: JobKey, rank: Rank) -> sqlx::Result<Option<Started>> {
    sqlx::query_as(
        "update hookgate.jobs j
            set state = 'running', attempt = attempt + 1, started_at = clock_timestamp(), snoozed_until = null,
                out_of_order = out_of_order
                               or coalesce((select (l.done_seq > j.seq and ($5 or j.version is null)) or l.version > j.version
                                              from hookgate.lanes l where l.lane = j.lane), false),
                ambiguous = ambiguous or $6
          where delivery = $1 and event = $2 and subscription = $3 and run = $4 and state <> 'running'
            -- One look at the lane's first; NOT EXISTS would be planned as a scan of the lane once its statistics are fresh.
            and (j.lane is null or not $5 or not coalesce(
                 (select (before.seq, before.run) < (j.seq, j.run) from hookgate.jobs before
                   where before.lane = j.lane
                     and (before.snoozed_until is null or before.snoozed_until <= clock_timestamp())
                   order by before.seq, before.run limit 1), false))
         returning attempt, out_of_order, ambiguous",
    )
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(key.run)
    .bind(rank == Rank::First)
    .bind(rank == Rank::Newest { ambiguous: true })
    .fetch_optional(conn)
    .await
}

/// What a removed job leaves to whoever buries it.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Buried {
    pub(crate) retention: String,
    pub(crate) lane: Option<Vec<u8>>,
    pub(crate) seq: Option<i64>,
    pub(crate) version: Option<i64>,
    pub(crate) attempt: i32,
    pub(crate) elements: Option<Vec<i32>>,
}

/// Removes a job that ended. `None`: the claim was lost.
pub(crate) async fn remove(conn: &mut PgConnection, key: JobKey, token: Option<Token>) -> sqlx::Result<Option<Buried>> {
    sqlx::query_as(
        "delete from hookgate.jobs
          where delivery = $1 and event = $2 and subscription = $3 and run = $4
            and worker is not distinct from $5 and claim is not distinct from $6
         returning retention, coalesce(lane, home) as lane, seq, version, attempt, elements",
    )
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(key.run)
    .bind(token.map(|t| t.worker))
    .bind(token.map(|t| t.n))
    .fetch_optional(conn)
    .await
}

/// How a job waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// For its retry, in place: its lane waits with it.
    InPlace(Duration),
    /// For its retry, outside its lane, which goes on.
    Outside(Duration),
    /// For something it needs, in place; no failure.
    Deferred(Duration),
    /// Aside, keeping its place; no failure.
    Aside(Duration),
    /// Not at all, or for this long outside lanes: it never started, so the attempt is taken back.
    NotStarted(Duration),
    /// Not at all: it was cut off, and is not to blame.
    Interrupted,
    /// Not at all: its worker vanished.
    Rescued,
}

/// Sends a running job back to the queue. `false`: the claim was lost.
pub(crate) async fn put_back(
    conn: &mut PgConnection,
    key: JobKey,
    token: Option<Token>,
    waiting: Waiting,
) -> sqlx::Result<bool> {
    let set = match waiting {
        Waiting::InPlace(_) => {
            "state = 'waiting', failures = failures + 1, class = greatest(class, 1::smallint), \
             due = clock_timestamp() + $7 * interval '1 millisecond', \
             failing_since = coalesce(failing_since, clock_timestamp())"
        }
        Waiting::Outside(_) => {
            "state = 'waiting', failures = failures + 1, class = greatest(class, 1::smallint), \
             due = clock_timestamp() + $7 * interval '1 millisecond', lane = null, home = lane, out_of_order = true, \
             failing_since = coalesce(failing_since, clock_timestamp())"
        }
        Waiting::Deferred(_) => "state = 'waiting', due = clock_timestamp() + $7 * interval '1 millisecond'",
        Waiting::Aside(_) => {
            "state = 'waiting', snoozed_ms = snoozed_ms + $7::bigint, \
             snoozed_until = clock_timestamp() + $7 * interval '1 millisecond'"
        }
        Waiting::NotStarted(_) => {
            "state = 'ready', attempt = attempt - 1, \
             due = case when $7 > 0 then clock_timestamp() + $7 * interval '1 millisecond' else due end"
        }
        Waiting::Interrupted => "state = 'ready', attempt = attempt + 0 * $7::int",
        Waiting::Rescued => "state = 'ready', rescues = rescues + 1 + 0 * $7::int",
    };
    let wait = match waiting {
        Waiting::InPlace(wait) | Waiting::Outside(wait) | Waiting::Aside(wait) | Waiting::NotStarted(wait) => wait,
        Waiting::Deferred(wait) => wait,
        Waiting::Interrupted | Waiting::Rescued => Duration::ZERO,
    };
    let done = sqlx::query(sqlx::AssertSqlSafe(format!(
        "update hookgate.jobs set {set}, worker = null, claim = null
          where delivery = $1 and event = $2 and subscription = $3 and run = $4
            and worker is not distinct from $5 and claim is not distinct from $6 and state = 'running'"
    )))
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(key.run)
    .bind(token.map(|t| t.worker))
    .bind(token.map(|t| t.n))
    .bind(wait.as_millis() as f64)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Brings back those that stand aside in a lane, since another job of it ended. Only the time they really stood aside
/// counts: in a busy lane they come back many times within a second.
pub(crate) async fn end_snoozes(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.jobs
            set snoozed_ms = snoozed_ms
                  - greatest(0, extract(epoch from snoozed_until - clock_timestamp()) * 1000)::bigint,
                snoozed_until = null
          where lane = $1 and snoozed_until is not null",
    )
    .bind(lane.as_slice())
    .execute(conn)
    .await?;
    Ok(())
}

/// Makes the waiting jobs of an event due at once, those of one subscription or all; how many there were.
pub(crate) async fn hasten(
    conn: &mut PgConnection,
    delivery: Uuid,
    event: i32,
    subscription: Option<i32>,
) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "update hookgate.jobs set due = now(), snoozed_until = null
          where delivery = $1 and (event = $2 or $2 = any(elements)) and state = 'waiting' and ($3::int is null or subscription = $3)",
    )
    .bind(delivery)
    .bind(event)
    .bind(subscription)
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// A job found running without its worker.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Lost {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    pub(crate) run: i32,
    pub(crate) rescues: i32,
    pub(crate) claim: Option<i64>,
    pub(crate) started_at: Option<DateTime<Utc>>,
    pub(crate) attempt: i32,
    pub(crate) seq: Option<i64>,
}

impl Lost {
    pub(crate) fn key(&self) -> JobKey {
        JobKey { delivery: self.delivery, event: self.event, subscription: self.subscription, run: self.run }
    }
}

/// Locks unordered jobs that `worker` holds, for a rescue; those being settled right now are skipped.
pub(crate) async fn lock_orphans(conn: &mut PgConnection, worker: Uuid, limit: i64) -> sqlx::Result<Vec<Lost>> {
    sqlx::query_as(
        "select delivery, event, subscription, run, rescues, claim, started_at, attempt, seq from hookgate.jobs
          where worker = $1 order by delivery, event, subscription, run limit $2 for no key update skip locked",
    )
    .bind(worker)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// The job that was running in a lane. The caller holds the lane's row lock.
pub(crate) async fn running_in(conn: &mut PgConnection, lane: &[u8]) -> sqlx::Result<Option<Lost>> {
    sqlx::query_as(
        "select delivery, event, subscription, run, rescues, null::bigint as claim, started_at, attempt, seq
           from hookgate.jobs where lane = $1 and state = 'running' order by seq, run limit 1",
    )
    .bind(lane)
    .fetch_optional(conn)
    .await
}
