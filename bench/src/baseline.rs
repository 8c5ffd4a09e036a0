//! The baseline: pgbench committing the same rows, one request a transaction.
//!
//! Made as strong as one row a commit can be: one statement, one round trip, prepared once a connection, no HTTP, no
//! signature, no duplicate to look for afterwards. See docs/BENCHMARKS.md, Fairness.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Executor, PgPool};

use crate::load::percentile;
use crate::postgres::Postgres;
use crate::{Failed, documents};

/// What pgbench did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Committed {
    /// Transactions it says were processed.
    pub(crate) transactions: u64,
    pub(crate) elapsed: Duration,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
}

/// Keeps one recorded row of every document as the baseline's template: the very columns that the gateway wrote.
///
/// `storage plain` keeps the templates uncompressed, so that inserting a copy pays for compression as the gateway does.
const TEMPLATES: &str = "
create schema bench;
create table bench.rows (n integer, like hookgate.deliveries, fingerprint bytea, subscription integer, lane bytea,
                         label text);
alter table bench.rows alter column body set storage plain;
insert into bench.rows
select row_number() over (order by t.id), t.* from (
    select distinct on (d.body) d.*, r.fingerprint, j.subscription, j.lane, l.label
      from hookgate.deliveries d
      join hookgate.receipts r on r.delivery = d.id
      join hookgate.jobs j on j.delivery = d.id
      left join hookgate.lanes l on l.lane = j.lane
     order by d.body
) t;
update bench.rows set body = body || ''::bytea;
alter table bench.rows add primary key (n);
vacuum (full, analyze) bench.rows;
";

/// A fresh id of the same kind as the gateway's, made where pgbench can: in the statement.
const NEW: &str = r"
\set n random(1, 200)
with new as materialized (
    select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
             placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
             from 1 for 6), 52, 1), 53, 1), 'hex')::uuid as fresh, t.*
      from bench.rows t where n = :n
), receipt as (
    insert into hookgate.receipts (source, key, delivery, event, fingerprint)
    select source, uuid_send(gen_random_uuid()), fresh, 0, fingerprint from new
        on conflict do nothing
), delivery as (
    insert into hookgate.deliveries
           (retention, id, source, received_at, method, target, headers, body, content_type, secret,
            provider_id, event_type, ordering_key, version, events, batch, no_dedup)
    select retention, fresh, source, now(), method, target, headers, body, content_type, secret,
           fresh::text, event_type, ordering_key, version, events, batch, no_dedup from new
)";

const UNORDERED: &str = r"
insert into hookgate.jobs (delivery, event, subscription, run, retention, class, version)
select fresh, 0, subscription, 0, retention, 0, version from new;
";

const IN_LANES: &str = r", lane as (
    insert into hookgate.lanes as l (lane, subscription, label, state, class, pending, next_seq, due)
    select lane, subscription, label, 'ready', 0, 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint + 1, now()
      from new
        on conflict (lane) do update
       set pending = l.pending + 1, next_seq = l.next_seq + 1,
           state = case l.state when 'idle' then 'ready' else l.state end,
           due = case l.state when 'idle' then excluded.due else l.due end
    returning next_seq
)
insert into hookgate.jobs (delivery, event, subscription, run, retention, class, lane, seq, version)
select fresh, 0, subscription, 0, retention, 0, new.lane, next_seq - 1, version from new, lane;
";

/// Makes the templates from what the gateway has recorded so far.
pub(crate) async fn prepare(pool: &PgPool) -> Result<(), Failed> {
    for statement in TEMPLATES.split_terminator(";\n") {
        pool.execute(AssertSqlSafe(statement)).await?;
    }
    let rows: i64 = sqlx::query_scalar("select count(*) from bench.rows").fetch_one(pool).await?;
    if rows != documents::COUNT as i64 {
        return Err(format!("{rows} of {} documents were recorded in the warm-up", documents::COUNT).into());
    }
    Ok(())
}

/// Commits for as long as told, a row at a time on each connection.
pub(crate) async fn commit(
    postgres: &Postgres,
    clients: usize,
    seconds: u64,
    ordered: bool,
) -> Result<Committed, Failed> {
    let scratch = postgres.folder().join("pgbench");
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch)?;
    let script = scratch.join("one.sql");
    // A script line ends at a semicolon, so the parts are one statement.
    std::fs::write(&script, format!("{NEW}{}", if ordered { IN_LANES } else { UNORDERED }))?;

    let mut command = postgres.client("pgbench")?;
    command.args(["-n", "-M", "prepared", "-c", &clients.to_string(), "-j", "2", "-T", &seconds.to_string()]);
    // One latency in ten is enough for a percentile and costs pgbench little.
    command.args(["-l", "--sampling-rate", "0.1", "--log-prefix"]).arg(scratch.join("log"));
    command.arg("-f").arg(&script).arg("hookgate");
    let output = command.output().await?;
    if !output.status.success() {
        return Err(format!("pgbench failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let said = String::from_utf8(output.stdout)?;
    let transactions = said
        .lines()
        .find_map(|line| line.strip_prefix("number of transactions actually processed: ")?.trim().parse().ok())
        .ok_or("pgbench did not say how many transactions it processed")?;
    // Its own figure, without the time it took to connect.
    let rate: f64 = said
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok())
        .ok_or("pgbench did not say its rate")?;
    let mut latencies = Vec::new();
    for file in std::fs::read_dir(&scratch)?.filter_map(Result::ok).filter(|f| f.path() != script) {
        let log = std::fs::read_to_string(file.path())?;
        latencies.extend(log.lines().filter_map(|line| line.split(' ').nth(2)?.parse::<u32>().ok()));
    }
    latencies.sort_unstable();
    let micros = |percent| Duration::from_micros(percentile(&latencies, percent).into());
    Ok(Committed {
        transactions,
        elapsed: Duration::from_secs_f64(transactions as f64 / rate),
        p50: micros(50),
        p99: micros(99),
    })
}
