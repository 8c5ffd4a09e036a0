//! Promise 1: a 2xx is sent only after the delivery, its receipts and its jobs are committed in one transaction.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hookgate::{Order, Running, on};
use sqlx::{AssertSqlSafe, PgPool};

use crate::support::eventually::eventually;
use crate::support::gateway::{Answer, Signed, start, start_receiving};
use crate::support::postgres::{TestDatabase, database};
use crate::support::proxy::Proxy;
use crate::support::rows::{count, deliveries, every_count, recorded};
use crate::support::witness::witness;

/// Within this the sender must know that it has to come again.
const PROMPTLY: Duration = Duration::from_secs(3);

/// A gateway that only receives, for a handler that is declared and served by nobody: jobs stay to be counted.
async fn receiving_for(database: &TestDatabase, seen_through: &TestDatabase, order: Order) -> Running {
    let (handler, _) = witness(on("*", &["*"]).name("all").order(order));
    start(database, "", vec![handler]).await.shutdown().await;
    start_receiving(seen_through, "").await
}

async fn run(pool: &PgPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(pool).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

/// No job with this version can be inserted. 22023 says that the row is at fault.
async fn poison(pool: &PgPool, version: i64) {
    let sql = format!(
        "create function hookgate.poison() returns trigger language plpgsql as $$
         begin raise exception 'poison' using errcode = '22023'; end $$;
         create trigger poison before insert on hookgate.jobs
            for each row when (new.version = {version}) execute function hookgate.poison();"
    );
    run(pool, &sql).await;
}

async fn cure(pool: &PgPool) {
    run(pool, "drop trigger poison on hookgate.jobs").await;
}

fn event(n: i64) -> Signed {
    let body = serde_json::json!({
        "id": format!("evt_{n}"), "type": "invoice.paid", "created": n, "data": {"object": {"id": format!("in_{n}")}}
    });
    Signed::stripe(body.to_string())
}

fn assert_come_again(answer: &Answer) {
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert!(answer.headers["retry-after"].to_str().expect("text").parse::<u32>().expect("seconds") > 0);
}

async fn nothing_stays_of_a_delivery_whose_job_fails(order: Order) {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = receiving_for(&database, &database, order).await;
    let to = gateway.ingest_addr().expect("an address");
    let before = every_count(&pool).await;
    poison(&pool, 666).await;

    assert_come_again(&event(666).send(to).await);
    assert_eq!(every_count(&pool).await, before, "all or nothing");

    cure(&pool).await;
    assert_eq!(event(666).send(to).await.outcome(), "accepted", "not a duplicate of what was never stored");
    assert_eq!(recorded(&pool).await, (1, 1, 1));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_delivery_whose_job_cannot_be_made_leaves_nothing_and_its_retry_is_new() {
    nothing_stays_of_a_delivery_whose_job_fails(Order::None).await;
}

#[tokio::test]
async fn and_neither_does_one_whose_job_is_of_a_lane() {
    nothing_stays_of_a_delivery_whose_job_fails(Order::Lane).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_poison_row_in_a_batch_does_not_fail_its_neighbours() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = receiving_for(&database, &database, Order::None).await;
    let to = gateway.ingest_addr().expect("an address");
    poison(&pool, 17).await;

    let answers = join_all((0..100).map(async |n| (n, event(n).send(to).await))).await;

    for (n, answer) in answers {
        if n == 17 {
            assert_come_again(&answer);
        } else {
            assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "event {n}");
        }
    }
    assert_eq!(recorded(&pool).await, (99, 99, 99));
    let commits: i64 = sqlx::query_scalar("select count(distinct xmin::text) from hookgate.deliveries")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert!(commits < 99, "nothing was proved: no two deliveries shared a commit");
    gateway.shutdown().await;
}

async fn asked_promptly(to: SocketAddr, n: i64) -> Answer {
    let asked = Instant::now();
    let answer = event(n).send(to).await;
    assert!(asked.elapsed() < PROMPTLY, "answered after {:?}", asked.elapsed());
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn with_postgres_away_it_is_503_in_time_and_when_it_is_back_all_goes_on_by_itself() {
    let database = database().await;
    let pool = database.pool().await;
    let (proxy, through) = Proxy::before(&database).await;
    let gateway = receiving_for(&database, &through, Order::None).await;
    let to = gateway.ingest_addr().expect("an address");
    assert_eq!(event(1).send(to).await.status, 202);

    proxy.cut();
    for n in 2..5 {
        assert_come_again(&asked_promptly(to, n).await);
    }
    assert_eq!(recorded(&pool).await, (1, 1, 1));

    proxy.open();
    eventually("it accepts again", 202, async || event(2).send(to).await.status).await;
    assert_eq!(recorded(&pool).await, (2, 2, 2));
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_postgres_silent_it_is_503_in_time_too() {
    let database = database().await;
    let pool = database.pool().await;
    let (proxy, through) = Proxy::before(&database).await;
    let gateway = receiving_for(&database, &through, Order::None).await;
    let to = gateway.ingest_addr().expect("an address");
    assert_eq!(event(1).send(to).await.status, 202);

    proxy.silence();
    for answer in join_all((2..40).map(|n| asked_promptly(to, n))).await {
        assert_come_again(&answer);
    }

    // What was on its way may still arrive: then the retry finds it, and there is one of each all the same.
    proxy.open();
    for n in 2..40 {
        eventually("it accepts again", 202, async || event(n).send(to).await.status).await;
    }
    assert_eq!(recorded(&pool).await, (39, 39, 39));
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_connections_silent_for_good_it_goes_on_by_itself_once_new_ones_work() {
    let database = database().await;
    let pool = database.pool().await;
    let (proxy, through) = Proxy::before(&database).await;
    let gateway = receiving_for(&database, &through, Order::None).await;
    let to = gateway.ingest_addr().unwrap();
    // New ones and duplicates: every connection is made, and none has rested long enough to be asked whether it lives.
    join_all((1..40).chain(1..40).map(async |n| event(n).send(to).await)).await;

    proxy.abandon_connections();
    join_all((1..80).map(|n| asked_promptly(to, n))).await;

    for n in [1, 80] {
        eventually("it accepts again", 202, async || event(n).send(to).await.status).await;
    }
    // One that the silence kept waiting is not recorded twice when it comes again.
    for n in 40..80 {
        eventually("it accepts again", 202, async || event(n).send(to).await.status).await;
    }
    assert_eq!(recorded(&pool).await, (80, 80, 80));
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_killed_in_mid_flight_lose_nothing_acknowledged_and_double_nothing() {
    const SENT: i64 = 200;
    let database = database().await;
    let pool = database.pool().await;
    let gateway = receiving_for(&database, &database, Order::Lane).await;
    let to = gateway.ingest_addr().expect("an address");

    let killer = pool.clone();
    let killing = tokio::spawn(async move {
        let mut pace = tokio::time::interval(Duration::from_millis(5));
        let mut killed = 0i64;
        loop {
            pace.tick().await;
            killed += sqlx::query_scalar::<_, i64>(
                "select count(*) from (
                     select pg_terminate_backend(pid) from pg_stat_activity
                      where datname = current_database() and application_name = 'hookgate ingest' and state = 'active') k",
            )
            .fetch_one(&killer)
            .await
            .unwrap();
            if killed >= 20 {
                return;
            }
        }
    });
    let mut acknowledged = BTreeSet::new();
    let mut refused = 0;
    // Rounds, until enough was killed: a round is everything at once, and what was refused comes again in the next.
    let mut round = 0..;
    while !killing.is_finished() || acknowledged.len() < SENT as usize {
        assert!(round.next().unwrap() < 500, "{} of {SENT} acknowledged", acknowledged.len());
        for (n, answer) in join_all((0..SENT).map(async |n| (n, event(n).send(to).await))).await {
            match (answer.status, answer.outcome()) {
                (202, "accepted" | "duplicate") => {
                    acknowledged.insert(n);
                    let id = answer.id();
                    assert_eq!(count(&pool, &format!("deliveries where id = '{id}'")).await, 1, "{id} is not stored");
                }
                _ => {
                    refused += 1;
                    assert_come_again(&answer);
                }
            }
        }
    }
    killing.await.unwrap();
    println!("200 events, 20 connections killed in mid-statement, {refused} requests refused");
    assert_eq!(recorded(&pool).await, (SENT, SENT, SENT));
    gateway.shutdown().await;
}

/// Whether a session of the gateway waits for a lock, and which.
async fn waiting_session(pool: &PgPool) -> Option<i32> {
    let sql = "select pid from pg_stat_activity
                where datname = current_database() and application_name = 'hookgate ingest' and wait_event_type = 'Lock'";
    sqlx::query_scalar(sql).fetch_optional(pool).await.expect("look at the sessions")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_lost_while_recording_costs_the_sender_nothing() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = receiving_for(&database, &database, Order::None).await;
    let to = gateway.ingest_addr().expect("an address");
    let mut held = pool.begin().await.unwrap();
    sqlx::query("lock table hookgate.receipts").execute(&mut *held).await.unwrap();
    let sending = tokio::spawn(async move { event(1).send(to).await });
    eventually("it is recording", true, async || waiting_session(&pool).await.is_some()).await;

    let waiting = waiting_session(&pool).await;
    sqlx::query("select pg_terminate_backend($1)").bind(waiting).execute(&pool).await.unwrap();
    held.rollback().await.unwrap();

    let answer = sending.await.unwrap();
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    assert_eq!(recorded(&pool).await, (1, 1, 1));
    gateway.shutdown().await;
}

async fn missing_partitions_are_made(of: &str, expected: usize) {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = receiving_for(&database, &database, Order::None).await;
    let today: Vec<String> = sqlx::query_scalar(
        "select 'hookgate.' || relname from pg_class
          where relnamespace = 'hookgate'::regnamespace and relkind = 'r'
            and relname like $1 || '\\_%\\_' || to_char(now() at time zone 'utc', 'YYYYMMDD')",
    )
    .bind(of)
    .fetch_all(&pool)
    .await
    .expect("list the partitions");
    assert_eq!(today.len(), expected, "{today:?}");
    run(&pool, &format!("drop table {}", today.join(", "))).await;

    let answer = event(1).send(gateway.ingest_addr().expect("an address")).await;

    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    assert_eq!(deliveries(&pool).await.len(), 1);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_day_without_partitions_gets_them_when_a_delivery_needs_them() {
    missing_partitions_are_made("%", 9).await;
}

#[tokio::test]
async fn and_so_does_one_that_lacks_only_some() {
    missing_partitions_are_made("deliveries", 3).await;
}
