//! A list of waits, and a horizon: what they allow, and that a redrive gives all of it again.

use std::time::Duration;

use hookgate::{HandlerError, Named, Order, Running, on};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{
    attempts, database_with_effects, deaths, execute, job, let_time_pass, number, tried, unfinished,
};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];

const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// One delivery about `in_1`, for one handler.
async fn scene(order: Order, options: impl FnOnce(Named) -> Named) -> (Running, PgPool, Calls) {
    let (database, pool) = database_with_effects().await;
    let (handler, calls) = puppet(options(on("stripe", &["*"]).name("try").order(order)));
    let gateway = start(&database, "", vec![handler]).await;
    send(&gateway, "accepted").await;
    (gateway, pool, calls)
}

async fn send(gateway: &Running, outcome: &str) {
    let answer = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.outcome(), outcome, "{}", answer.text);
}

async fn waits_with(pool: &PgPool, failures: i32) -> f64 {
    eventually("it waits", ("waiting".to_owned(), failures), async || {
        let job = job(pool).await;
        (job.state, job.failures)
    })
    .await;
    job(pool).await.due_in
}

#[tokio::test]
async fn a_list_of_waits_is_kept_to_and_ends_where_it_ends() {
    for order in ORDERS {
        let listed = [secs(100), secs(5000), secs(20_000)];
        let (gateway, pool, mut calls) = scene(order, |handler| handler.retry(&listed)).await;
        for (failures, wait) in (1..).zip(listed) {
            calls.next().await.fail();
            let due_in = waits_with(&pool, failures).await;
            let wait = wait.as_secs_f64();
            assert!((wait - 30.0..=wait * 1.1).contains(&due_in), "{due_in} is not {wait}");
            let_time_pass(&pool).await;
        }
        calls.next().await.fail();
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        assert_eq!(attempts(&pool).await, tried(&["failed"; 4]));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn the_last_wait_repeats_where_there_are_more_attempts() {
    let options = |handler: Named| handler.retry(&[secs(100), secs(1000)]).attempts(5);
    let (gateway, pool, mut calls) = scene(Order::None, options).await;
    for (failures, wait) in [(1, 100.0), (2, 1000.0), (3, 1000.0), (4, 1000.0)] {
        calls.next().await.fail();
        let due_in = waits_with(&pool, failures).await;
        assert!((wait - 30.0..=wait * 1.1).contains(&due_in), "{due_in} is not {wait}");
        let_time_pass(&pool).await;
    }
    calls.next().await.fail();
    eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
    gateway.shutdown().await;
}

/// As if the job had failed for the first time this long ago.
async fn failing_for(pool: &PgPool, interval: &str) {
    execute(pool, &format!("update hookgate.jobs set failing_since = clock_timestamp() - interval '{interval}'")).await;
}

#[tokio::test]
async fn a_job_is_dead_as_soon_as_its_next_try_would_come_after_the_horizon_and_says_so() {
    for order in ORDERS {
        // Holding its lane up or outside it: the horizon is the same.
        for block_for in [secs(100_000), secs(1)] {
            let options = |handler: Named| {
                let handler = handler.retry(&[secs(60)]).attempts(99).give_up_after(secs(3600));
                if order == Order::Lane { handler.block_for(block_for) } else { handler }
            };
            let (gateway, pool, mut calls) = scene(order, options).await;
            calls.next().await.fail();
            waits_with(&pool, 1).await;
            failing_for(&pool, "40 minutes").await;
            let_time_pass(&pool).await;
            calls.next().await.fail();
            waits_with(&pool, 2).await;
            failing_for(&pool, "59 minutes 30 seconds").await;
            let_time_pass(&pool).await;
            calls.next().await.fail();
            eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
            let told = "select count(*) from hookgate.dead where error like
                        'given up: %`give_up_after` (1h)%the last attempt said: as the test told it'";
            assert_eq!(number(&pool, told).await, 1);
            let own = "select count(*) from hookgate.attempts where error = 'as the test told it'";
            assert_eq!(number(&pool, own).await, 3, "an attempt keeps its own words");
            gateway.shutdown().await;
        }
    }
}

#[tokio::test]
async fn a_wait_that_was_asked_for_beyond_the_horizon_is_not_waited_for() {
    let (gateway, pool, mut calls) = scene(Order::None, |handler| handler.give_up_after(secs(600))).await;
    calls.next().await.end(HandlerError::because("in an hour").retry_after(secs(3600)));
    eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_redrive_gives_every_budget_afresh_and_keeps_what_happened() {
    for order in ORDERS {
        let options = |handler: Named| handler.retry(&[secs(60), secs(60)]).give_up_after(secs(3600));
        let (gateway, pool, mut calls) = scene(order, options).await;
        calls.next().await.fail();
        waits_with(&pool, 1).await;
        failing_for(&pool, "2 hours").await;
        execute(&pool, "update hookgate.jobs set rescues = 2, snoozed_ms = 590000").await;
        let_time_pass(&pool).await;
        calls.next().await.fail();
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;

        send(&gateway, "requeued").await;
        let call = calls.next().await;
        assert_eq!(call.attempt, 3, "attempt numbers go on");
        assert_eq!(number(&pool, "select rescues::bigint from hookgate.jobs").await, 0);
        // Of ten minutes of standing aside none is used up.
        call.end(HandlerError::snooze(secs(500)));
        eventually("it stands aside", 500_000, async || job(&pool).await.snoozed_ms).await;
        let_time_pass(&pool).await;
        for failures in [1, 2] {
            calls.next().await.fail();
            waits_with(&pool, failures).await;
            let_time_pass(&pool).await;
        }
        calls.next().await.succeed();
        eventually("the job's end", 0, async || unfinished(&pool).await).await;
        let all = ["failed", "failed", "snoozed", "failed", "failed", "ok"];
        assert_eq!(attempts(&pool).await, tried(&all), "what happened before stays");
        gateway.shutdown().await;
    }
}
