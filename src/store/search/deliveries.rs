//! Deliveries by filter, newest first, and one in full.
//!
//! `deliveries` has no index but its primary key (retention, id), so that ingest pays for none. A search therefore
//! walks ids downwards and examines a bounded number of rows; the caller goes on from where it stopped.

use serde::Serialize;
use sqlx::{AssertSqlSafe, FromRow, PgConnection};
use uuid::Uuid;

use super::Stamp;
use crate::store::partitions::CLASSES;

/// A delivery as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct Summary {
    pub(crate) id: Uuid,
    pub(crate) source: String,
    pub(crate) provider: String,
    pub(crate) tenant: Option<String>,
    pub(crate) state: String,
    pub(crate) received_at: Stamp,
    pub(crate) event_type: Option<String>,
    pub(crate) provider_id: Option<String>,
    pub(crate) ordering_key: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) events: i32,
    /// Further arrivals of the same events.
    pub(crate) copies: i64,
    pub(crate) body_size: i32,
    pub(crate) content_type: Option<String>,
    pub(crate) retention: String,
    /// The delivery whose id this one reused with another body.
    pub(crate) conflict_with: Option<Uuid>,
}

/// Which deliveries to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) source: Option<String>,
    /// A LIKE pattern.
    pub(crate) event: Option<String>,
    pub(crate) state: Option<&'static str>,
    pub(crate) provider_id: Option<String>,
    pub(crate) conflicts_only: bool,
}

impl Filter {
    /// Whether every row matches, so that a page is full as long as there are rows.
    pub(crate) fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// A range of ids: `from` included, `below` excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) from: Uuid,
    pub(crate) below: Uuid,
}

/// The state is derived, never stored. A released conflict is what its jobs are.
const STATE: &str = "case
    when exists (select from hookgate.dead x where x.delivery = d.id and x.redriven_to is null) then 'dead'
    when exists (select from hookgate.jobs x where x.delivery = d.id) then 'pending'
    when exists (select from hookgate.attempts x where x.retention = d.retention and x.delivery = d.id) then 'done'
    when d.conflict_with is not null then 'conflict'
    when d.filtered is not null then 'filtered'
    else 'unhandled' end";

/// The delivery's columns tell of its first event, `batch` of each.
const EVENT_LIKE: &str = "(d.event_type like $5
    or exists (select from jsonb_array_elements(d.batch) e where e ->> 'type' like $5))";

/// octet_length reads the size from the TOAST pointer: no body is fetched.
const SUMMARY: &str = "d.id, s.name as source, s.provider, s.tenant, v.state, d.received_at, d.event_type,
    d.provider_id, d.ordering_key, d.version, d.events,
    (select count(*) from hookgate.copies c where c.retention = d.retention and c.delivery = d.id) as copies,
    octet_length(d.body) as body_size, d.content_type, d.retention, d.conflict_with";

/// The rows of ids $1 ≤ id < $2, newest first, at most $3.
///
/// One arm a retention class: only with `retention` a constant does the primary key give the order of ids, and the
/// whole becomes a merge of backward index scans that stops early, whatever the number of partitions.
fn newest_first(columns: &str) -> String {
    let arms: Vec<String> = CLASSES
        .iter()
        .map(|class| {
            format!(
                "(select {columns} from hookgate.deliveries
                   where retention = '{class}' and id >= $1 and id < $2 order by id desc limit $3)"
            )
        })
        .collect();
    format!("{} order by id desc limit $3", arms.join(" union all "))
}

/// The id of the `rows`-th newest delivery of the range; `None`: there are fewer.
pub(crate) async fn nth_newest(conn: &mut PgConnection, range: Range, rows: i64) -> sqlx::Result<Option<Uuid>> {
    let sql = format!("select id from ({}) w offset $3 - 1", newest_first("id"));
    sqlx::query_scalar(AssertSqlSafe(sql)).bind(range.from).bind(range.below).bind(rows).fetch_optional(conn).await
}

/// The newest `limit` matches among the newest `examined` deliveries of the range.
pub(crate) async fn list(
    conn: &mut PgConnection,
    range: Range,
    examined: i64,
    filter: &Filter,
    limit: i64,
) -> sqlx::Result<Vec<Summary>> {
    let sql = format!(
        "select {SUMMARY}
           from ({}) d
           join hookgate.sources s on s.id = d.source
          cross join lateral (select {STATE} as state) v
          where ($4::text is null or s.name = $4)
            and ($5::text is null or {EVENT_LIKE})
            and ($6::text is null or d.provider_id = $6
                 or d.batch @> jsonb_build_array(jsonb_build_object('id', $6)))
            and (not $7 or d.conflict_with is not null)
            and ($8::text is null or v.state = $8)
          order by d.id desc
          limit $9",
        newest_first("*")
    );
    sqlx::query_as(AssertSqlSafe(sql))
        .bind(range.from)
        .bind(range.below)
        .bind(examined)
        .bind(&filter.source)
        .bind(&filter.event)
        .bind(&filter.provider_id)
        .bind(filter.conflicts_only)
        .bind(filter.state)
        .bind(limit)
        .fetch_all(conn)
        .await
}

/// The matches among these ids, newest first.
pub(crate) async fn among(
    conn: &mut PgConnection,
    ids: &[Uuid],
    range: Range,
    filter: &Filter,
    limit: i64,
) -> sqlx::Result<Vec<Summary>> {
    let sql = format!(
        "select {SUMMARY}
           from hookgate.deliveries d
           join hookgate.sources s on s.id = d.source
          cross join lateral (select {STATE} as state) v
          where d.id = any($1) and d.id >= $2 and d.id < $3
            and ($4::text is null or s.name = $4)
            and ($5::text is null or {EVENT_LIKE})
            and (not $6 or d.conflict_with is not null)
            and ($7::text is null or v.state = $7)
          order by d.id desc
          limit $8"
    );
    sqlx::query_as(AssertSqlSafe(sql))
        .bind(ids)
        .bind(range.from)
        .bind(range.below)
        .bind(&filter.source)
        .bind(&filter.event)
        .bind(filter.conflicts_only)
        .bind(filter.state)
        .bind(limit)
        .fetch_all(conn)
        .await
}

/// The deliveries an id can mean: our own id, or what the receipts and conflicts of any source hold under `key`.
/// Each source is one probe of a primary key.
pub(crate) async fn meant_by(conn: &mut PgConnection, own: Option<Uuid>, key: &[u8; 16]) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select id from hookgate.deliveries where id = $1
          union
         select r.delivery from hookgate.sources s
           join hookgate.receipts r on r.source = s.id and r.key = $2
          union
         select c.delivery from hookgate.sources s
           join hookgate.conflicts c on c.source = s.id and c.key = $2",
    )
    .bind(own)
    .bind(key.as_slice())
    .fetch_all(conn)
    .await
}

/// A delivery in full, its body cut.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Detail {
    #[sqlx(flatten)]
    pub(crate) summary: Summary,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<u8>,
    pub(crate) secret: i16,
    pub(crate) deduplicated: bool,
    pub(crate) sha256: Vec<u8>,
    pub(crate) head: Vec<u8>,
}

/// The delivery with the first `head` bytes of its body; `None`: unknown, or purged.
pub(crate) async fn detail(conn: &mut PgConnection, id: Uuid, head: i32) -> sqlx::Result<Option<Detail>> {
    let sql = format!(
        "select {SUMMARY}, d.method, d.target, d.headers, d.secret, not d.no_dedup as deduplicated,
                sha256(d.body) as sha256, substring(d.body from 1 for $2) as head
           from hookgate.deliveries d
           join hookgate.sources s on s.id = d.source
          cross join lateral (select {STATE} as state) v
          where d.id = $1"
    );
    sqlx::query_as(AssertSqlSafe(sql)).bind(id).bind(head).fetch_optional(conn).await
}

/// The body as received and its content type.
pub(crate) async fn body(conn: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<(Vec<u8>, Option<String>)>> {
    sqlx::query_as("select body, content_type from hookgate.deliveries where id = $1")
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// Whether the delivery is stored.
pub(crate) async fn exists(conn: &mut PgConnection, id: Uuid) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from hookgate.deliveries where id = $1)").bind(id).fetch_one(conn).await
}

/// A further arrival of one of the delivery's events.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct CopyRow {
    pub(crate) event: i32,
    pub(crate) received_at: Stamp,
    pub(crate) act: String,
    pub(crate) gateway: Option<Uuid>,
}

/// The newest `limit` further arrivals.
pub(crate) async fn copies(conn: &mut PgConnection, id: Uuid, limit: i64) -> sqlx::Result<Vec<CopyRow>> {
    sqlx::query_as(
        "select event, received_at, act, gateway from hookgate.copies
          where delivery = $1 order by received_at desc limit $2",
    )
    .bind(id)
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// Deliveries that reused this one's id, whose receipt is under `key`, with another body: a probe of two primary keys.
pub(crate) async fn conflicts(conn: &mut PgConnection, id: Uuid, key: &[u8; 16]) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar(
        "select distinct c.delivery
           from hookgate.deliveries d
           join hookgate.receipts r on r.source = d.source and r.key = $2 and r.delivery = d.id
           join hookgate.conflicts c on c.source = r.source and c.key = r.key
          where d.id = $1 and c.delivery <> d.id
          order by c.delivery
          limit 100",
    )
    .bind(id)
    .bind(key.as_slice())
    .fetch_all(conn)
    .await
}
