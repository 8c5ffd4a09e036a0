//! What is past its time goes, nothing that is still needed does, and nobody waits for it.

use std::time::Duration;

use chrono::NaiveDate;
use hookgate::{HandlerError, Order, on};
use sqlx::{Executor, PgPool};
use uuid::Uuid;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start, start_with};
use crate::support::postgres::{TestDatabase, database};
use crate::support::puppet::puppet;
use crate::support::rows::count;
use crate::support::work::{execute, number};

const PARENTS: [&str; 3] = ["deliveries", "copies", "attempts"];

/// Days that every retention class has left behind.
fn day(of_month: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2025, 1, of_month).unwrap()
}

fn id(day: NaiveDate, n: u128) -> Uuid {
    let ms = day.and_hms_opt(0, 0, 0).unwrap().and_utc().timestamp_millis() as u128;
    Uuid::from_u128((ms << 80) | (7 << 76) | (2 << 62) | n)
}

/// The partitions of an old day, a delivery in it with an attempt, and a dead job.
async fn old_day(pool: &PgPool, class: &str, day: NaiveDate) -> Uuid {
    let (from, to) = (id(day, 0), id(day.succ_opt().unwrap(), 0));
    let (from, to) = (from.as_u128() >> 80 << 80, to.as_u128() >> 80 << 80);
    let (from, to) = (Uuid::from_u128(from), Uuid::from_u128(to));
    for parent in PARENTS {
        execute(
            pool,
            &format!(
                "create table hookgate.{} partition of hookgate.{parent}_{class} for values from ('{from}') to ('{to}')",
                table(parent, class, day)
            ),
        )
        .await;
    }
    let id = id(day, class.len() as u128);
    execute(
        pool,
        &format!(
            "insert into hookgate.deliveries (retention, id, source, received_at, method, target, headers, body, secret)
             values ('{class}', '{id}', 1, now(), 'POST', '/in/github', '', 'old', 0)"
        ),
    )
    .await;
    execute(
        pool,
        &format!(
            "insert into hookgate.dead (delivery, event, subscription, run, retention, attempt, reason)
             values ('{id}', 0, 1, 0, '{class}', 1, 'exhausted')"
        ),
    )
    .await;
    id
}

fn table(parent: &str, class: &str, day: NaiveDate) -> String {
    format!("{parent}_{class}_{}", day.format("%Y%m%d"))
}

/// How many tables of a day are left.
async fn tables(pool: &PgPool, class: &str, day: NaiveDate) -> i64 {
    let like = format!("%_{class}_{}", day.format("%Y%m%d"));
    number(
        pool,
        &format!(
            "select count(*) from pg_class where relnamespace = 'hookgate'::regnamespace and relkind = 'r'
                and relname like '{like}'"
        ),
    )
    .await
}

/// A job that waits for a day that is long gone.
async fn unfinished(pool: &PgPool, class: &str, delivery: Uuid) {
    execute(
        pool,
        &format!(
            "insert into hookgate.jobs (delivery, event, subscription, run, retention, class, state, due)
             values ('{delivery}', 0, 1, 0, '{class}', 0, 'held', now() + interval '1 day')"
        ),
    )
    .await;
}

/// A gateway whose maintenance begins with its start.
async fn maintained(database: &TestDatabase) -> hookgate::Running {
    start_with(config(database, ""), Vec::new()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn days_past_their_horizon_go_and_their_dead_jobs_with_them() {
    let database = database().await;
    let pool = database.pool().await;
    for class in ["short", "standard", "long"] {
        old_day(&pool, class, day(1)).await;
    }
    let gateway = maintained(&database).await;
    for class in ["short", "standard", "long"] {
        eventually("its tables are gone", 0, async || tables(&pool, class, day(1)).await).await;
    }
    assert_eq!(count(&pool, "dead").await, 0);
    let answer = Signed::github("today", "push", "{}").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.status, 202, "today's are there");
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_day_that_unfinished_work_points_into_stays_until_the_work_is_done() {
    let database = database().await;
    let pool = database.pool().await;
    let kept = old_day(&pool, "short", day(1)).await;
    unfinished(&pool, "short", kept).await;
    old_day(&pool, "short", day(2)).await;
    let gateway = maintained(&database).await;
    // Days go oldest first, so the first was judged when the second is gone.
    eventually("the other day is gone", 0, async || tables(&pool, "short", day(2)).await).await;
    assert_eq!(tables(&pool, "short", day(1)).await, 3);
    assert_eq!(count(&pool, &format!("deliveries where id = '{kept}'")).await, 1);
    gateway.shutdown().await;

    execute(&pool, "delete from hookgate.jobs").await;
    let gateway = maintained(&database).await;
    eventually("it is gone", 0, async || tables(&pool, "short", day(1)).await).await;
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_broken_off_half_way_is_finished() {
    let database = database().await;
    let pool = database.pool().await;
    // Detached and not dropped; and detached while work was queued for it.
    old_day(&pool, "short", day(1)).await;
    let kept = old_day(&pool, "short", day(2)).await;
    for day in [day(1), day(2)] {
        let table = table("deliveries", "short", day);
        let detach = format!("alter table hookgate.deliveries_short detach partition hookgate.{table} concurrently");
        execute(&pool, &detach).await;
    }
    unfinished(&pool, "short", kept).await;
    // Detaching, and broken off by a reader.
    old_day(&pool, "short", day(3)).await;
    let pending = table("deliveries", "short", day(3));
    let mut reader = pool.begin().await.unwrap();
    reader.execute(sqlx::AssertSqlSafe(format!("select from hookgate.{pending}"))).await.unwrap();
    let mut broken_off = pool.acquire().await.unwrap();
    broken_off.execute("set statement_timeout = '200ms'").await.unwrap();
    let detach = format!("alter table hookgate.deliveries_short detach partition hookgate.{pending} concurrently");
    let error = sqlx::raw_sql(sqlx::AssertSqlSafe(detach)).execute(&mut *broken_off).await.unwrap_err();
    assert!(error.to_string().contains("statement timeout"), "{error}");
    assert_eq!(number(&pool, "select count(*) from pg_inherits where inhdetachpending").await, 1);
    reader.rollback().await.unwrap();

    let gateway = maintained(&database).await;
    eventually("the last day is gone", 0, async || tables(&pool, "short", day(3)).await).await;
    assert_eq!(tables(&pool, "short", day(1)).await, 0);
    assert_eq!(count(&pool, &format!("deliveries where id = '{kept}'")).await, 1, "attached again");
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_ingest_nor_a_reader_waits_for_a_day_that_goes() {
    let database = database().await;
    let pool = database.pool().await;
    old_day(&pool, "standard", day(1)).await;
    let held = table("deliveries", "standard", day(1));
    let mut reader = pool.begin().await.unwrap();
    reader.execute(sqlx::AssertSqlSafe(format!("select from hookgate.{held}"))).await.unwrap();
    let gateway = maintained(&database).await;
    eventually("detaching waits for the reader", true, async || {
        let waits = "select count(*) from pg_stat_activity
                      where datname = current_database() and query like '%concurrently' and wait_event_type = 'Lock'";
        number(&pool, waits).await > 0
    })
    .await;
    // Recorded while it waits: the ingest pool's own lock_timeout of a second would refuse what has to wait.
    let answer = Signed::github("meanwhile", "push", "{}").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.status, 202);
    assert_eq!(count(&pool, "deliveries where provider_id = 'meanwhile'").await, 1);
    reader.rollback().await.unwrap();
    eventually("then it goes", 0, async || tables(&pool, "standard", day(1)).await).await;
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_past_their_horizon_go_with_the_conflicts_under_their_keys() {
    let database = database().await;
    let pool = database.pool().await;
    let old = id(day(1), 7);
    for (key, delivery) in [("old", old), ("new", Uuid::now_v7())] {
        execute(
            &pool,
            &format!(
                "insert into hookgate.receipts (source, key, delivery, event, fingerprint)
                 select 1, substr(sha256(('{key}' || n)::bytea), 1, 16), '{delivery}', 0, substr(sha256('x'), 1, 16)
                   from generate_series(1, 3000) n"
            ),
        )
        .await;
    }
    execute(
        &pool,
        "insert into hookgate.conflicts (source, key, fingerprint, delivery, event)
         select source, key, substr(sha256('y'), 1, 16), delivery, 0 from hookgate.receipts",
    )
    .await;
    let gateway = maintained(&database).await;
    eventually("old receipts are gone", (3000, 3000), async || {
        (count(&pool, "receipts").await, count(&pool, "conflicts").await)
    })
    .await;
    assert_eq!(count(&pool, &format!("receipts where delivery = '{old}'")).await, 0);
    assert_eq!(count(&pool, &format!("conflicts where delivery = '{old}'")).await, 0);
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_that_lost_count_of_its_jobs_is_found_and_runs_again() {
    let database = database().await;
    let pool = database.pool().await;
    let ordered = || puppet(on("stripe", &["*"]).name("bill").order(Order::Lane));
    let (handler, mut calls) = ordered();
    let gateway = start(&database, "", vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    assert_eq!(Signed::stripe_event("evt_1", "a.b", "in_1").send(to).await.status, 202);
    calls.next().await.end(HandlerError::because("later").retry_after(Duration::from_secs(1)));
    eventually("it waits", 1, async || count(&pool, "jobs where state = 'waiting'").await).await;
    execute(&pool, "update hookgate.lanes set pending = 0, state = 'idle'").await;
    gateway.shutdown().await;

    let (handler, mut calls) = ordered();
    let gateway = start(&database, "", vec![handler]).await;
    calls.next().await.succeed();
    eventually("it is done", 0, async || count(&pool, "jobs").await).await;
    assert_eq!(number(&pool, "select sum(pending) from hookgate.lanes").await, 0);
    gateway.shutdown().await;
}
