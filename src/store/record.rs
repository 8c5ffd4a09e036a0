//! T1: receipts, deliveries, jobs and lanes of a whole batch of new deliveries, in one statement.
//!
//! One statement, so no gateway can be paused inside it while others wait on its locks, and a hot lane is locked only
//! from near its end to the commit. Each part reads from the one before it, which forces the order
//! receipts → deliveries → unordered jobs → lanes → ordered jobs; within a part rows are sorted, so two batches that
//! overlap queue up behind each other instead of deadlocking.
//!
//! Measured against BEGIN … COMMIT with a statement a part: one round trip for six (docs/DESIGN.md).

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, Row};
use uuid::Uuid;

use super::LaneKey;

/// The columns of a batch, ready to bind. `push` keeps them equally long.
#[derive(Debug, Default)]
pub(crate) struct Batch<'a> {
    item: ItemColumns,
    delivery: DeliveryColumns<'a>,
    job: JobColumns,
}

#[derive(Debug, Default)]
struct ItemColumns {
    source: Vec<i32>,
    key: Vec<Vec<u8>>,
    delivery: Vec<Uuid>,
    event: Vec<i32>,
    fingerprint: Vec<Vec<u8>>,
}

#[derive(Debug, Default)]
struct DeliveryColumns<'a> {
    retention: Vec<&'a str>,
    id: Vec<Uuid>,
    source: Vec<i32>,
    received_at: Vec<DateTime<Utc>>,
    method: Vec<&'a str>,
    target: Vec<&'a str>,
    headers: Vec<&'a [u8]>,
    body: Vec<&'a [u8]>,
    content_type: Vec<Option<&'a str>>,
    secret: Vec<i16>,
    provider_id: Vec<Option<&'a str>>,
    event_type: Vec<Option<&'a str>>,
    ordering_key: Vec<Option<&'a str>>,
    version: Vec<Option<i64>>,
    events: Vec<i32>,
    batch: Vec<Option<&'a serde_json::Value>>,
    no_dedup: Vec<bool>,
    /// Arrays as text: Postgres unnests an array of arrays to its last element.
    filtered: Vec<Option<String>>,
}

#[derive(Debug, Default)]
struct JobColumns {
    delivery: Vec<Uuid>,
    event: Vec<i32>,
    subscription: Vec<i32>,
    retention: Vec<String>,
    lane: Vec<Option<Vec<u8>>>,
    label: Vec<Option<String>>,
    version: Vec<Option<i64>>,
    whole: Vec<bool>,
    wait_ms: Vec<i32>,
    eager: Vec<bool>,
}

/// One delivery, as its row will hold it.
#[derive(Debug)]
pub(crate) struct NewDelivery<'a> {
    pub(crate) retention: &'a str,
    pub(crate) id: Uuid,
    pub(crate) source: i32,
    pub(crate) received_at: DateTime<Utc>,
    pub(crate) method: &'a str,
    pub(crate) target: &'a str,
    pub(crate) headers: &'a [u8],
    pub(crate) body: &'a [u8],
    pub(crate) content_type: Option<&'a str>,
    pub(crate) secret: i16,
    pub(crate) provider_id: Option<&'a str>,
    pub(crate) event_type: Option<&'a str>,
    pub(crate) ordering_key: Option<&'a str>,
    pub(crate) version: Option<i64>,
    pub(crate) events: i32,
    pub(crate) batch: Option<&'a serde_json::Value>,
    pub(crate) no_dedup: bool,
    /// The subscriptions that a condition kept an event of it from; of a batch, `batch` says which event.
    pub(crate) filtered: Option<Vec<i32>>,
}

/// One event's receipt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewReceipt {
    pub(crate) source: i32,
    pub(crate) key: [u8; 16],
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) fingerprint: [u8; 16],
}

/// One subscription's work on one event.
#[derive(Debug, Clone)]
pub(crate) struct NewJob {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    pub(crate) retention: String,
    /// The lane and its readable name.
    pub(crate) lane: Option<(LaneKey, String)>,
    pub(crate) version: Option<i64>,
    /// Of a batch that the handler takes whole: the events the job stands for. T1 makes one job of those of a delivery
    /// and subscription that are new.
    pub(crate) elements: Option<Vec<i32>>,
    /// How long its lane waits before it starts, if it was idle.
    pub(crate) wait_ms: i32,
    /// Whether its lane looks at once at whatever comes, though it waits for a retry.
    pub(crate) eager: bool,
}

impl<'a> Batch<'a> {
    pub(crate) fn push_delivery(&mut self, d: NewDelivery<'a>) {
        let c = &mut self.delivery;
        c.retention.push(d.retention);
        c.id.push(d.id);
        c.source.push(d.source);
        c.received_at.push(d.received_at);
        c.method.push(d.method);
        c.target.push(d.target);
        c.headers.push(d.headers);
        c.body.push(d.body);
        c.content_type.push(d.content_type);
        c.secret.push(d.secret);
        c.provider_id.push(d.provider_id);
        c.event_type.push(d.event_type);
        c.ordering_key.push(d.ordering_key);
        c.version.push(d.version);
        c.events.push(d.events);
        c.batch.push(d.batch);
        c.no_dedup.push(d.no_dedup);
        c.filtered.push(d.filtered.as_deref().map(array));
    }

    pub(crate) fn push_receipt(&mut self, r: &NewReceipt) {
        self.item.source.push(r.source);
        self.item.key.push(r.key.to_vec());
        self.item.delivery.push(r.delivery);
        self.item.event.push(r.event);
        self.item.fingerprint.push(r.fingerprint.to_vec());
    }

    pub(crate) fn push_job(&mut self, job: NewJob) {
        let (lane, label) = job.lane.map(|(key, label)| (key.to_vec(), label)).unzip();
        self.job.delivery.push(job.delivery);
        self.job.event.push(job.event);
        self.job.subscription.push(job.subscription);
        self.job.retention.push(job.retention);
        self.job.lane.push(lane);
        self.job.label.push(label);
        self.job.version.push(job.version);
        self.job.whole.push(job.elements.is_some());
        self.job.wait_ms.push(job.wait_ms);
        self.job.eager.push(job.eager);
    }
}

/// What T1 did.
#[derive(Debug)]
pub(crate) struct Written {
    /// The registry's generation. Another one than planned with: nothing was written.
    pub(crate) generation: i64,
    /// The events that are new, as (delivery, event). The rest were recorded before.
    pub(crate) new: Vec<(Uuid, i32)>,
    /// The deliveries that have a row now: those with a new event, and empty batches.
    pub(crate) stored: Vec<Uuid>,
    /// The database's time, from which the gateway stamps its next ids.
    pub(crate) at: DateTime<Utc>,
}

const RECORD: &str = r"
with plan as materialized (
    -- Locked, so that a declaration that commits while this waits for a lane can't be missed by what this commits.
    select generation from hookgate.registry for key share
), receipt as (
    insert into hookgate.receipts (source, key, delivery, event, fingerprint)
    select i.source, i.key, i.delivery, i.event, i.fingerprint
      from unnest($2::int[], $3::bytea[], $4::uuid[], $5::int[], $6::bytea[])
           as i(source, key, delivery, event, fingerprint)
     where (select generation from plan) = $1
     order by i.source, i.key
        on conflict do nothing
    returning delivery, event
), delivery as (
    insert into hookgate.deliveries as kept
           (retention, id, source, received_at, method, target, headers, body, content_type, secret,
            provider_id, event_type, ordering_key, version, events, batch, no_dedup, filtered, own)
    select d.retention, d.id, d.source, d.received_at, d.method, d.target, d.headers, d.body, d.content_type, d.secret,
           d.provider_id, d.event_type, d.ordering_key, d.version, d.events, d.batch, d.no_dedup, d.filtered::int[],
           case when d.events > 1
                then (select array_agg(r.event order by r.event) from receipt r where r.delivery = d.id) end
      from unnest($7::text[], $8::uuid[], $9::int[], $10::timestamptz[], $11::text[], $12::text[], $13::bytea[],
                  $14::bytea[], $15::text[], $16::smallint[], $17::text[], $18::text[], $19::text[], $20::bigint[],
                  $21::int[], $22::jsonb[], $23::bool[], $34::text[])
           as d(retention, id, source, received_at, method, target, headers, body, content_type, secret,
                provider_id, event_type, ordering_key, version, events, batch, no_dedup, filtered)
     where d.id in (select delivery from receipt)
        -- An empty batch has no receipt, and is kept all the same; once, if it is tried again.
        or (d.events = 0 and (select generation from plan) = $1)
        -- It is there already when only an element's expired receipt made it come again.
        on conflict (id, retention) do update set own = kept.own || excluded.own where excluded.own is not null
    returning id
), wanted as (
    select j.*
      from unnest($24::uuid[], $25::int[], $26::int[], $27::text[], $28::bytea[], $29::text[], $30::bigint[],
                  $31::bool[], $32::int[], $33::bool[])
           with ordinality as j(delivery, event, subscription, retention, lane, label, version, whole, wait_ms, eager, ord)
      join receipt using (delivery, event)
     where (select count(*) from delivery) >= 0
), job as (
    select delivery, event, subscription, retention, lane, label, version, null::int[] as elements, wait_ms, eager, ord
      from wanted where not whole
     union all
    -- Whoever takes the request whole gets it once, in the place of the first element that is new.
    select delivery, event, subscription, retention, lane, label, version, elements, wait_ms, eager, ord
      from (select w.*, array_agg(event) over (partition by delivery, subscription) as elements,
                   row_number() over (partition by delivery, subscription order by event) as place
              from wanted w where whole) w
     where place = 1
), unordered as (
    insert into hookgate.jobs (delivery, event, subscription, run, retention, class, version, elements)
    select delivery, event, subscription, 0, retention, 0, version, elements
      from job where lane is null
     order by delivery, event, subscription
    returning 1
), lane as (
    insert into hookgate.lanes as l (lane, subscription, label, state, class, pending, next_seq, due, eager)
    -- A lane begins at the microsecond it is made, so one that was purged never hands out a number twice.
    select lane, min(subscription), min(label), 'ready', 0, count(*),
           (extract(epoch from clock_timestamp()) * 1000000)::bigint + count(*),
           now() + max(wait_ms) * interval '1 millisecond', bool_or(eager)
      from job
     where lane is not null and (select count(*) from unordered) >= 0
     group by lane
     order by lane
        on conflict (lane) do update
       set pending = l.pending + excluded.pending,
           -- The row lock is held to the commit, so the order of numbers is the order of commits.
           next_seq = l.next_seq + excluded.pending,
           state = case l.state when 'idle' then 'ready' else l.state end,
           -- Whoever stands aside waits for just this: its predecessor.
           due = case when l.state = 'idle' or l.snoozed > 0 then excluded.due
                      when excluded.eager then least(l.due, excluded.due)
                      else l.due end,
           class = least(l.class, excluded.class)
    returning lane, next_seq
), ordered as (
    insert into hookgate.jobs (delivery, event, subscription, run, retention, class, lane, seq, version, elements)
    select j.delivery, j.event, j.subscription, 0, j.retention, 0, j.lane,
           l.next_seq - count(*) over (partition by j.lane)
                      + row_number() over (partition by j.lane order by j.ord) - 1,
           j.version, j.elements
      from job j join lane l using (lane)
    returning 1
)
select (select generation from plan) as generation,
       coalesce((select array_agg(delivery) from receipt), '{}') as deliveries,
       coalesce((select array_agg(event) from receipt), '{}') as events,
       coalesce((select array_agg(id) from delivery), '{}') as stored,
       (select count(*) from ordered) as ordered,
       -- Last, after whatever lane had to be waited for.
       clock_timestamp() as at";

/// An array of numbers as Postgres reads it from text.
fn array(numbers: &[i32]) -> String {
    format!("{{{}}}", numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(","))
}

/// Records a batch, if the registry is still at `generation`; else writes nothing.
pub(crate) async fn record(conn: &mut PgConnection, generation: i64, batch: &Batch<'_>) -> sqlx::Result<Written> {
    let (item, delivery, job) = (&batch.item, &batch.delivery, &batch.job);
    let row = sqlx::query(RECORD)
        .bind(generation)
        .bind(&item.source)
        .bind(&item.key)
        .bind(&item.delivery)
        .bind(&item.event)
        .bind(&item.fingerprint)
        .bind(&delivery.retention)
        .bind(&delivery.id)
        .bind(&delivery.source)
        .bind(&delivery.received_at)
        .bind(&delivery.method)
        .bind(&delivery.target)
        .bind(&delivery.headers)
        .bind(&delivery.body)
        .bind(&delivery.content_type)
        .bind(&delivery.secret)
        .bind(&delivery.provider_id)
        .bind(&delivery.event_type)
        .bind(&delivery.ordering_key)
        .bind(&delivery.version)
        .bind(&delivery.events)
        .bind(&delivery.batch)
        .bind(&delivery.no_dedup)
        .bind(&job.delivery)
        .bind(&job.event)
        .bind(&job.subscription)
        .bind(&job.retention)
        .bind(&job.lane)
        .bind(&job.label)
        .bind(&job.version)
        .bind(&job.whole)
        .bind(&job.wait_ms)
        .bind(&job.eager)
        .bind(&delivery.filtered)
        .fetch_one(conn)
        .await?;
    let deliveries: Vec<Uuid> = row.try_get("deliveries")?;
    let events: Vec<i32> = row.try_get("events")?;
    Ok(Written {
        generation: row.try_get("generation")?,
        new: deliveries.into_iter().zip(events).collect(),
        stored: row.try_get("stored")?,
        at: row.try_get("at")?,
    })
}
