//! A rate bounds what starts, over all gateways, by the database's clock.

use std::time::Duration;

use hookgate::{Context, HandlerError, Order, Raw, on};
use sqlx::PgPool;

use super::backlog::{begun, pause};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start, start_with};
use crate::support::puppet::puppet;
use crate::support::work::{database_with_effects, execute, number, unfinished};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// Fails the first time, so that there are as many retries as events.
async fn second_time_lucky(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
    match cx.attempt() {
        1 => Err(HandlerError::because("not yet")),
        _ => Ok(()),
    }
}

/// Milliseconds since the bucket was emptied, and what was begun since then; counted first, so never too many for the time.
async fn since_empty(pool: &PgPool) -> (i64, i64) {
    let begun = begun(pool, "stripe").await;
    let passed = "select (extract(epoch from clock_timestamp() - at) * 1000)::bigint from emptied";
    (number(pool, passed).await, begun)
}

#[tokio::test]
async fn a_rate_holds_over_two_gateways_in_lanes_and_outside_for_first_runs_and_retries() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let handler = || {
            let named = on("stripe", &["*"]).name("limited").order(order).rate(20, SECOND).burst(4);
            named.backoff(Duration::ZERO, 1, Duration::ZERO).run(second_time_lucky)
        };
        let first = start(&database, "", vec![handler()]).await;
        let second = start(&database, "", vec![handler()]).await;
        pause(&pool, true).await;
        for n in 0..10 {
            let event = Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{}", n % 5));
            event.send(first.ingest_addr().unwrap()).await;
        }
        execute(
            &pool,
            "create table emptied as select clock_timestamp() as at;
             insert into hookgate.buckets values ('limited', 0, clock_timestamp())
                 on conflict (handler) do update set tokens = 0, filled_at = clock_timestamp();",
        )
        .await;
        pause(&pool, false).await;
        eventually("all are done", 0, async || {
            let (passed, begun) = since_empty(&pool).await;
            // Nothing was saved up, so what came since then is all there is.
            assert!(begun * 1000 <= 20 * passed, "{order:?}: {begun} runs in {passed} ms");
            unfinished(&pool).await
        })
        .await;
        assert_eq!(number(&pool, "select count(*) from hookgate.attempts").await, 20);
        first.shutdown().await;
        second.shutdown().await;
    }
}

#[tokio::test]
async fn a_token_is_taken_by_what_starts_and_not_by_who_asks() {
    let (database, pool) = database_with_effects().await;
    let named = on("stripe", &["*"]).name("limited").concurrency(10).rate(1, HOUR).burst(3);
    let (handler, mut calls) = puppet(named);
    let (other, mut other_calls) = puppet(on("stripe", &["*"]).name("other"));
    let gateway = start(&database, "", vec![handler, other]).await;
    for n in 0..3 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        calls.next().await.succeed();
        other_calls.next().await.succeed();
    }
    eventually("all three are done", 0, async || unfinished(&pool).await).await;
    Signed::stripe_event("evt_3", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    other_calls.next().await.succeed();
    eventually("the limited one waits", 1, async || unfinished(&pool).await).await;
    assert!(!calls.has_more(), "a fourth start needs a fourth token");
    execute(&pool, "update hookgate.buckets set tokens = 1").await;
    gateway.shutdown().await;

    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("limited").rate(1, HOUR).burst(3));
    let gateway = start(&database, "", vec![handler]).await;
    calls.next().await.succeed();
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn what_waits_for_a_token_starts_when_there_is_one_and_not_at_the_next_poll() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("limited").order(Order::Lane).rate(4, SECOND).burst(1));
    let mut config = config(&database, "");
    config.worker.poll = HOUR;
    let gateway = start_with(config, vec![handler]).await;
    for n in 0..4 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}")).send(gateway.ingest_addr().unwrap()).await;
    }
    let mut held = Vec::new();
    for _ in 0..4 {
        // None ends, so nothing else wakes the worker.
        held.push(calls.next().await);
    }
    held.into_iter().for_each(|call| call.succeed());
    eventually("all are done", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_handler_without_a_rate_has_no_bucket() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("free"));
    let gateway = start(&database, "", vec![handler]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    calls.next().await.succeed();
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    let rows = "select (select count(*) from hookgate.buckets) + (select count(*) from hookgate.breakers)";
    assert_eq!(number(&pool, rows).await, 0);
    gateway.shutdown().await;
}
