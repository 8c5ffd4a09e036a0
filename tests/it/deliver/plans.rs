//! What the hot statements read, whatever the statistics say: seen through `auto_explain` while a gateway works among a
//! hundred thousand rows that are in the way.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hookgate::{Context, Handler, HandlerError, Order, Raw, Running, on};
use serde_json::Value;
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::postgres::{TestDatabase, server_of_its_own};
use crate::support::work::{execute, number};

/// Far more than a claim of ten and its jobs need, far less than the rows that are there.
const MOST_ROWS: u64 = 600;
const JOBS_DONE: u64 = 60;

fn counting(name: &str, order: Order, done: &Arc<AtomicU64>) -> Handler {
    let done = Arc::clone(done);
    on("stripe", &["*"]).name(name).order(order).concurrency(4).run(move |_: Raw, _: &mut Context| {
        done.fetch_add(1, Ordering::Relaxed);
        async { Ok::<_, HandlerError>(()) }
    })
}

async fn working(database: &TestDatabase, done: &Arc<AtomicU64>) -> Running {
    let handlers = vec![counting("lane", Order::Lane, done), counting("alone", Order::None, done)];
    start(database, "", handlers).await
}

/// One delivery, and around it: a hot key that waits with 100k jobs, 100k keys with a job each, 100k retries that are
/// not due, and some jobs that are. Its jobs are events of one delivery, so that each can be run.
async fn crowd(pool: &PgPool) {
    let of = |name: &str| {
        format!(
            "(select u.id from hookgate.subscriptions u join hookgate.handlers h on h.id = u.handler where h.name = '{name}')"
        )
    };
    let (lane, alone) = (of("lane"), of("alone"));
    let delivery = "(select id from hookgate.deliveries limit 1)";
    for sql in [
        "alter table hookgate.jobs set (autovacuum_enabled = false)".to_owned(),
        "alter table hookgate.lanes set (autovacuum_enabled = false)".to_owned(),
        format!(
            "insert into hookgate.lanes (lane, subscription, label, state, class, pending, next_seq, due)
             select decode(md5('hot'), 'hex'), {lane}, 'hot', 'ready', 0, 100000, 1000000, now() + interval '1 hour'
              union all
             select decode(md5('k' || i), 'hex'), {lane}, 'k' || i, 'ready', 0, 1, 2, now() - i * interval '1 ms'
               from generate_series(1, 100000) i"
        ),
        format!(
            "insert into hookgate.jobs (delivery, event, subscription, run, retention, class, lane, seq, state, due)
             select {delivery}, 1000000 + i, {lane}, 0, 'standard', 1, decode(md5('hot'), 'hex'), i, 'waiting', now() + interval '1 hour'
               from generate_series(1, 100000) i
              union all
             select {delivery}, i, {lane}, 0, 'standard', 0, decode(md5('k' || i), 'hex'), 1, 'ready', now()
               from generate_series(1, 100000) i"
        ),
        format!(
            "insert into hookgate.jobs (delivery, event, subscription, run, retention, class, state, due)
             select {delivery}, i, {alone}, 0, 'standard', 1, 'waiting', now() + interval '1 hour'
               from generate_series(1, 100000) i
              union all
             select {delivery}, 1000000 + i, {alone}, 0, 'standard', 0, 'ready', now()
               from generate_series(1, 1000) i"
        ),
    ] {
        execute(pool, &sql).await;
    }
}

/// Every plan that was logged, with its statement's text.
fn plans(log: &str) -> Vec<(String, Value)> {
    let texts = log.split("plan:").skip(1);
    let logged = texts.filter_map(|text| serde_json::Deserializer::from_str(text).into_iter::<Value>().next()?.ok());
    logged.map(|plan| (plan["Query Text"].as_str().unwrap_or_default().to_owned(), plan["Plan"].clone())).collect()
}

/// Every node of a plan that reads jobs or lanes, as (kind, relation, rows read over all loops).
fn reads(node: &Value, found: &mut Vec<(String, String, u64)>) {
    let number = |name: &str| node[name].as_f64().unwrap_or_default();
    if let Some(relation @ ("jobs" | "lanes")) = node["Relation Name"].as_str()
        && node["Node Type"] != "ModifyTable"
    {
        let rows = (number("Actual Rows") + number("Rows Removed by Filter")) * number("Actual Loops");
        found.push((node["Node Type"].as_str().unwrap_or_default().to_owned(), relation.to_owned(), rows as u64));
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        reads(child, found);
    }
}

/// Each of the statements a job's life consists of was seen, and none of them read the crowd.
fn judge(log: &str, when: &str) {
    const HOT: [(&str, &str); 6] = [
        ("claiming lanes", "update hookgate.lanes l\n            set state = 'claimed'"),
        ("claiming jobs", "update hookgate.jobs j\n            set state = 'running', worker"),
        ("a lane's heads", "cross join lateral (\n                select j.delivery"),
        ("starting", "update hookgate.jobs j\n            set state = 'running', attempt"),
        ("moving a lane on", "set pending = pending - $4"),
        ("removing a job", "delete from hookgate.jobs\n          where delivery = $1"),
    ];
    let plans = plans(log);
    for (what, sign) in HOT {
        let of: Vec<_> = plans.iter().filter(|(text, _)| text.contains(sign)).collect();
        assert!(of.len() >= 5, "{when}: {what} was seen {} times among {} plans", of.len(), plans.len());
        for (_, plan) in of {
            let mut found = Vec::new();
            reads(plan, &mut found);
            for (kind, relation, rows) in found {
                assert!(
                    kind != "Seq Scan" && rows <= MOST_ROWS,
                    "{when}: {what}: {kind} on {relation} reads {rows} rows: {plan:#}"
                );
            }
        }
    }
}

/// Has a gateway do some of the work, and gives back what the server logged meanwhile.
async fn logged(database: &TestDatabase, log: &Path) -> String {
    let before = std::fs::metadata(log).expect("the log").len() as usize;
    let done = Arc::new(AtomicU64::new(0));
    let gateway = working(database, &done).await;
    eventually("enough was done", true, async || done.load(Ordering::Relaxed) > JOBS_DONE).await;
    gateway.shutdown().await;
    String::from_utf8_lossy(&std::fs::read(log).expect("read the log")[before..]).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn among_a_hundred_thousand_rows_each_statement_reads_its_own_whatever_was_analysed() {
    let (server, _watchdog, database) = server_of_its_own().await;
    let pool = database.pool().await;
    let gateway = working(&database, &Arc::default()).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    eventually("it is done", 0, async || number(&pool, "select count(*) from hookgate.jobs").await).await;
    gateway.shutdown().await;
    crowd(&pool).await;
    if sqlx::query("load 'auto_explain'").execute(&pool).await.is_err() {
        eprintln!("skipped: this server has no auto_explain");
        return;
    }
    let name = database.name();
    for (setting, value) in [
        ("session_preload_libraries", "auto_explain"),
        ("auto_explain.log_min_duration", "0"),
        ("auto_explain.log_analyze", "on"),
        ("auto_explain.log_timing", "off"),
        ("auto_explain.log_format", "json"),
    ] {
        execute(&pool, &format!("alter database {name} set {setting} = '{value}'")).await;
    }
    let log = server.data_folder().join("postgres.log");
    judge(&logged(&database, &log).await, "nothing was analysed since the rows came");
    execute(&pool, "analyze").await;
    judge(&logged(&database, &log).await, "just analysed");
    pool.close().await;
    server.stop().await.expect("stop Postgres");
}
