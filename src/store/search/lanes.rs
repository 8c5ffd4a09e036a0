//! Lanes as an operator looks for them: what stands still and since when, what is missing, what was never applied.
//!
//! Nothing is indexed for it that recording would pay for, so a search examines a bounded number of lanes; the caller goes on
//! from where it stopped.

use sqlx::{AssertSqlSafe, FromRow, PgConnection};
use uuid::Uuid;

use super::Stamp;
use crate::store::LaneKey;

/// A lane, and the job that is next in it.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct LaneRow {
    pub(crate) lane: Vec<u8>,
    pub(crate) key: String,
    pub(crate) handler: String,
    pub(crate) source: String,
    pub(crate) order: String,
    pub(crate) state: String,
    pub(crate) pausing: bool,
    pub(crate) pending: i32,
    pub(crate) due: Stamp,
    pub(crate) version: Option<i64>,
    pub(crate) delivery: Option<Uuid>,
    pub(crate) event: Option<i32>,
    pub(crate) run: Option<i32>,
    pub(crate) attempt: Option<i32>,
    pub(crate) failures: Option<i32>,
    pub(crate) next_try: Option<Stamp>,
    pub(crate) failing_since: Option<Stamp>,
    pub(crate) blocked_seconds: Option<f64>,
    /// Dead jobs of it.
    pub(crate) gaps: i64,
    /// Jobs that left it to retry outside.
    pub(crate) outside: i64,
    /// The delivery of a dead job that is newer than everything that was handled.
    pub(crate) unapplied: Option<Uuid>,
}

/// Which lanes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) state: Option<&'static str>,
    pub(crate) handler: Option<String>,
    pub(crate) source: Option<String>,
    pub(crate) key: Option<String>,
}

/// The states a filter may name. `blocked` and `unapplied` are derived.
pub(crate) const STATES: [&str; 7] = ["ready", "blocked", "claimed", "halted", "paused", "idle", "unapplied"];

/// The lanes after $1, by key, at most $2: those the filter's state can be found among.
fn examined(filter: &Filter) -> String {
    match filter.state {
        // What stopped has an index of its own.
        Some(state @ ("halted" | "paused")) => format!(
            "select * from hookgate.lanes
              where state in ('halted', 'paused') and state = '{state}' and lane > $1 order by lane limit $2"
        ),
        Some("unapplied") => "select l.* from (select distinct lane from hookgate.dead
                                                where lane > $1 order by lane limit $2) d
                                join hookgate.lanes l using (lane)"
            .to_owned(),
        _ => "select * from hookgate.lanes where lane > $1 order by lane limit $2".to_owned(),
    }
}

/// One row's columns over `l`, which is lanes.
const SELECT: &str = "
    select l.lane, l.label as key, h.name as handler, s.name as source, u.ordering as \"order\", v.state, l.pausing,
           l.pending, l.due, l.version, j.delivery, j.event, j.run, j.attempt, j.failures,
           case when j.state <> 'running' then greatest(j.due, j.snoozed_until, l.due) end as next_try, j.failing_since,
           extract(epoch from clock_timestamp() - j.failing_since)::float8 as blocked_seconds,
           (select count(*) from hookgate.dead d where d.lane = l.lane) as gaps,
           (select count(*) from hookgate.jobs o where o.home = l.lane) as outside,
           n.delivery as unapplied";

const FROM: &str = "
      join hookgate.subscriptions u on u.id = l.subscription
      join hookgate.handlers h on h.id = u.handler
      join hookgate.sources s on s.id = u.source
      left join lateral (
            (select f.* from hookgate.jobs f
              where u.ordering <> 'latest' and f.lane = l.lane
                and (f.snoozed_until is null or f.snoozed_until <= clock_timestamp())
              order by f.seq, f.run limit 1)
             union all
            (select f.* from hookgate.jobs f
              where u.ordering = 'latest' and f.lane = l.lane
              order by f.state = 'running' desc, f.version desc nulls last, f.seq desc limit 1)) j on true
      left join lateral (
            select d.delivery from hookgate.dead d
             where u.ordering = 'latest' and d.lane = l.lane
               and (l.mark_seq is null
                    or case when d.version is not null and l.version is not null
                            then (d.version, d.seq) > (l.version, l.mark_seq) else d.seq > l.mark_seq end)
             order by d.version desc nulls last, d.seq desc limit 1) n on true
     cross join lateral (
            select case when l.state = 'ready' and l.due > clock_timestamp() and j.failing_since is not null
                        then 'blocked' else l.state end as state) v";

/// The matches among the next `examined` lanes after `after`, by key, at most `limit`.
pub(crate) async fn list(
    conn: &mut PgConnection,
    after: &[u8],
    examine: i64,
    filter: &Filter,
    limit: i64,
) -> sqlx::Result<Vec<LaneRow>> {
    let sql = format!(
        "{SELECT} from ({}) l {FROM}
          where ($3::text is null or h.name = $3)
            and ($4::text is null or s.name = $4)
            and ($5::text is null or l.label = $5)
            and case $6::text when 'unapplied' then n.delivery is not null
                              -- Without a state: whatever is at work, stands still, or lacks something.
                              else coalesce(v.state = $6, l.state <> 'idle'
                                            or exists (select from hookgate.dead d where d.lane = l.lane)) end
          order by l.lane limit $7",
        examined(filter)
    );
    sqlx::query_as(AssertSqlSafe(sql))
        .bind(after)
        .bind(examine)
        .bind(&filter.handler)
        .bind(&filter.source)
        .bind(&filter.key)
        .bind(filter.state)
        .bind(limit)
        .fetch_all(conn)
        .await
}

/// The last of the next `examine` lanes after `after`; `None`: there are fewer.
pub(crate) async fn nth(
    conn: &mut PgConnection,
    after: &[u8],
    examine: i64,
    filter: &Filter,
) -> sqlx::Result<Option<Vec<u8>>> {
    let sql = format!("select lane from ({}) l order by lane offset $2 - 1", examined(filter));
    sqlx::query_scalar(AssertSqlSafe(sql)).bind(after).bind(examine).fetch_optional(conn).await
}

/// One lane.
pub(crate) async fn one(conn: &mut PgConnection, lane: &LaneKey) -> sqlx::Result<Option<LaneRow>> {
    let sql = format!("{SELECT} from hookgate.lanes l {FROM} where l.lane = $1");
    sqlx::query_as(AssertSqlSafe(sql)).bind(lane.as_slice()).fetch_optional(conn).await
}
