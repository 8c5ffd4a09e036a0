//! A failed job waits in the database, for as long as its handler's policy says, and is dead when that is used up.

use std::time::Duration;

use hookgate::{Context, HandlerError, Named, Order, Running, on};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{
    attempts, database_with_effects, deaths, job, last_error, let_time_pass, number, tried, unfinished,
};

const HOUR: Duration = Duration::from_secs(3600);
const ORDERS: [Order; 2] = [Order::None, Order::Lane];

/// One delivery about `in_1`, for one handler.
async fn scene(order: Order, options: impl FnOnce(Named) -> Named) -> (Running, PgPool, Calls) {
    let (database, pool) = database_with_effects().await;
    let (handler, calls) = puppet(options(on("stripe", &["*"]).name("try").order(order)));
    let gateway = start(&database, "", vec![handler]).await;
    let answer = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    (gateway, pool, calls)
}

/// The waits between five failures, in seconds.
async fn waits(pool: &PgPool, calls: &mut Calls) -> Vec<f64> {
    let mut waits = Vec::new();
    for failures in 1..=5 {
        calls.next().await.fail();
        eventually("it waits", ("waiting".to_owned(), failures), async || {
            let job = job(pool).await;
            (job.state, job.failures)
        })
        .await;
        waits.push(job(pool).await.due_in);
        let_time_pass(pool).await;
    }
    waits
}

#[tokio::test]
async fn the_wait_is_drawn_below_a_bound_that_grows_and_is_capped() {
    for order in ORDERS {
        let policy = |handler: Named| handler.backoff(Duration::from_secs(1000), 2, Duration::from_secs(5000));
        let (gateway, pool, mut calls) = scene(order, policy).await;
        let waits = waits(&pool, &mut calls).await;
        for (wait, bound) in waits.iter().zip([1000.0, 2000.0, 4000.0, 5000.0, 5000.0]) {
            assert!(*wait <= bound && *wait > 0.0, "{waits:?}");
        }
        // Drawn, not fixed: five times the same share of the bound does not happen.
        let shares: Vec<f64> = waits.iter().zip([1.0, 2.0, 4.0, 5.0, 5.0]).map(|(wait, bound)| wait / bound).collect();
        assert!(shares.iter().any(|share| (share - shares[0]).abs() > 1.0), "{shares:?}");
        calls.next().await.succeed();
        eventually("the job's end", 0, async || unfinished(&pool).await).await;
        assert_eq!(attempts(&pool).await, tried(&["failed", "failed", "failed", "failed", "failed", "ok"]));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn nothing_runs_before_its_time() {
    for order in ORDERS {
        let (gateway, pool, mut calls) = scene(order, |handler| handler).await;
        let later = HandlerError::because("later").retry_after(Duration::from_secs(600));
        calls.next().await.end(later);
        eventually("it waits", "waiting".to_owned(), async || job(&pool).await.state).await;
        // Another key's event is handled: the worker has looked since.
        Signed::stripe_event("evt_2", "invoice.paid", "in_2").send(gateway.ingest_addr().unwrap()).await;
        let other = calls.next().await;
        assert_eq!(other.object, "in_2");
        other.succeed();
        eventually("the other's end", 1, async || unfinished(&pool).await).await;
        assert!(!calls.has_more());
        let due_in = job(&pool).await.due_in;
        assert!((590.0..=600.0).contains(&due_in), "{due_in}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_wait_that_was_asked_for_is_capped() {
    for order in ORDERS {
        let (gateway, pool, mut calls) = scene(order, |handler| match order {
            Order::Lane => handler.block_for(HOUR * 2),
            Order::None | Order::Latest => handler,
        })
        .await;
        calls.next().await.end(HandlerError::because("much later").retry_after(Duration::from_secs(999_999_999)));
        eventually("it waits", "waiting".to_owned(), async || job(&pool).await.state).await;
        let due_in = job(&pool).await.due_in;
        assert!((3590.0..=3600.0).contains(&due_in), "{due_in}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_used_up_budget_ends_in_a_dead_job_that_says_why_and_is_not_run_again() {
    for order in ORDERS {
        let policy = |handler: Named| handler.attempts(3).backoff(Duration::ZERO, 1, HOUR);
        let (gateway, pool, mut calls) = scene(order, policy).await;
        for _ in 0..3 {
            calls.next().await.fail();
        }
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        assert_eq!(attempts(&pool).await, tried(&["failed", "failed", "failed"]));
        let sql = "select count(*) from hookgate.dead where error = 'as the test told it' and attempt = 3";
        assert_eq!((number(&pool, sql).await, unfinished(&pool).await), (1, 0));
        // What comes later is served.
        Signed::stripe_event("evt_2", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
        calls.next().await.succeed();
        eventually("the later one's end", 0, async || unfinished(&pool).await).await;
        assert!(!calls.has_more());
        gateway.shutdown().await;
    }
}

#[derive(serde::Deserialize)]
struct Impossible {
    #[expect(dead_code, reason = "never decoded")]
    nobody_sends_this: u64,
}

async fn never_called(_: Impossible, cx: &mut Context) -> Result<(), HandlerError> {
    panic!("called on attempt {}", cx.attempt())
}

#[tokio::test]
async fn a_payload_that_does_not_decode_is_dead_at_once() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let handler = on("stripe", &["*"]).name("decode").order(order).run(never_called);
        let gateway = start(&database, "", vec![handler]).await;
        let ingest = gateway.ingest_addr().unwrap();
        Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(ingest).await;
        Signed::stripe("{\"id\": \"evt_2\", broken").send(ingest).await;
        eventually("dead jobs", vec!["undecodable".to_owned(); 2], async || deaths(&pool).await).await;
        assert_eq!(unfinished(&pool).await, 0);
        assert!(
            attempts(&pool).await.iter().all(|(attempt, outcome)| (*attempt, outcome.as_str()) == (1, "permanent"))
        );
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_error_text_is_kept_as_far_as_postgres_can_hold_it() {
    let (gateway, pool, mut calls) = scene(Order::None, |handler| handler).await;
    calls.next().await.end(HandlerError::because(format!("nul \0 and {}", "long".repeat(10_000))).permanent());
    eventually("a dead job", vec!["permanent".to_owned()], async || deaths(&pool).await).await;
    let text = last_error(&pool).await;
    assert!(text.starts_with("nul \u{2400} and long") && text.len() <= 4098, "{}", text.len());
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_dead_job_that_its_sender_delivers_again_has_a_fresh_budget_and_goes_on_counting_attempts() {
    for order in ORDERS {
        let policy = |handler: Named| handler.attempts(2).backoff(Duration::ZERO, 1, HOUR);
        let (gateway, pool, mut calls) = scene(order, policy).await;
        calls.next().await.fail();
        calls.next().await.fail();
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        let again = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((again.status, again.outcome()), (202, "requeued"));
        let call = calls.next().await;
        assert_eq!((call.attempt, deaths(&pool).await.len()), (3, 0));
        call.fail();
        calls.next().await.succeed();
        eventually("the job's end", 0, async || unfinished(&pool).await).await;
        assert_eq!(attempts(&pool).await, tried(&["failed", "failed", "failed", "ok"]));
        gateway.shutdown().await;
    }
}
