//! Promise 5: what a handler writes through `cx.tx()` commits together with the job's completion, or not at all.

use std::time::Duration;

use hookgate::{HandlerError, Named, Order, Running, on};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{
    attempts, database_with_effects, deaths, effects, job, lanes, last_error, tried, unfinished,
};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];

struct Scene {
    gateway: Running,
    pool: PgPool,
    calls: Calls,
}

/// One delivery about `in_1`, for one handler.
async fn scene(order: Order, options: impl FnOnce(Named) -> Named) -> Scene {
    let (database, pool) = database_with_effects().await;
    let (handler, calls) = puppet(options(on("stripe", &["*"]).name("book").order(order)));
    let gateway = start(&database, "", vec![handler]).await;
    let answer = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    Scene { gateway, pool, calls }
}

#[tokio::test]
async fn an_effect_is_seen_by_nobody_until_its_job_is_done_and_then_by_all() {
    for order in ORDERS {
        let Scene { gateway, pool, mut calls } = scene(order, |handler| handler).await;
        let call = calls.next().await;
        call.book().await;
        assert_eq!((effects(&pool, "in_1").await, job(&pool).await.state.as_str()), (0, "running"));
        call.succeed();
        // One statement, so one moment: never an effect beside an unfinished job, never neither.
        let moment = "select (select count(*) from effect) * 10 + (select count(*) from hookgate.jobs)
                             + (select count(*) from hookgate.attempts) * 100";
        eventually("effect and completion", 110, async || {
            let seen = crate::support::work::number(&pool, moment).await;
            assert!(seen == 1 || seen == 110, "in between: {seen}");
            seen
        })
        .await;
        assert_eq!(attempts(&pool).await, tried(&["ok"]));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn whatever_a_failed_run_wrote_is_rolled_back() {
    for order in ORDERS {
        let no_wait =
            |handler: Named| handler.backoff(Duration::ZERO, 1, Duration::from_secs(1)).timeout(Duration::from_secs(1));
        let Scene { gateway, pool, mut calls } = scene(order, no_wait).await;
        let call = calls.next().await;
        call.book().await;
        call.fail();

        let call = calls.next().await;
        call.book().await;
        call.panic();

        // This one is cut off by its timeout.
        let hanging = calls.next().await;
        hanging.book().await;

        let call = calls.next().await;
        assert_eq!((effects(&pool, "in_1").await, call.attempt), (0, 4));
        call.book().await;
        call.end(HandlerError::because("hopeless").permanent());

        eventually("a dead job", vec!["permanent".to_owned()], async || deaths(&pool).await).await;
        assert_eq!(attempts(&pool).await, tried(&["failed", "panic", "timeout", "permanent"]));
        assert_eq!((effects(&pool, "in_1").await, unfinished(&pool).await), (0, 0));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_handler_that_commits_by_itself_is_dead_and_not_run_again() {
    for order in ORDERS {
        for (sql, kept) in [("commit", 1), ("rollback", 0), ("commit; begin", 1)] {
            let Scene { gateway, pool, mut calls } = scene(order, |handler| handler).await;
            let call = calls.next().await;
            call.book().await;
            call.execute(sql).await.expect("end the transaction");
            call.succeed();
            eventually(sql, vec!["transaction_escaped".to_owned()], async || deaths(&pool).await).await;
            assert_eq!((effects(&pool, "in_1").await, attempts(&pool).await), (kept, tried(&["permanent"])), "{sql}");
            assert!(!calls.has_more(), "{sql}");
            gateway.shutdown().await;
        }
    }
}

#[tokio::test]
async fn a_handler_that_commits_by_itself_and_then_fails_is_not_run_again_either() {
    for order in ORDERS {
        for panics in [false, true] {
            let Scene { gateway, pool, mut calls } = scene(order, |handler| handler).await;
            let call = calls.next().await;
            call.book().await;
            call.execute("commit").await.expect("commit");
            if panics {
                call.panic()
            } else {
                call.fail()
            }
            eventually("a dead job", vec!["transaction_escaped".to_owned()], async || deaths(&pool).await).await;
            assert_eq!((effects(&pool, "in_1").await, calls.has_more()), (1, false));
            gateway.shutdown().await;
        }
    }
}

#[tokio::test]
async fn a_failed_statement_that_the_handler_swallowed_fails_the_run() {
    for order in ORDERS {
        let Scene { gateway, pool, mut calls } = scene(order, |handler| handler.attempts(1)).await;
        let call = calls.next().await;
        call.book().await;
        call.execute("select 1 / 0").await.expect_err("a broken transaction");
        call.succeed();
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        assert_eq!((effects(&pool, "in_1").await, attempts(&pool).await), (0, tried(&["failed"])));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_effect_that_the_database_refuses_at_commit_uses_up_the_retry_budget_like_any_failure() {
    for order in ORDERS {
        let options = |handler: Named| handler.attempts(2).backoff(Duration::ZERO, 1, Duration::from_secs(1));
        let Scene { gateway, pool, mut calls } = scene(order, options).await;
        crate::support::work::execute(&pool, "alter table effect add unique (object) deferrable initially deferred")
            .await;
        for _ in 0..2 {
            let call = calls.next().await;
            call.book().await;
            call.book().await;
            call.succeed();
        }
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        assert_eq!((effects(&pool, "in_1").await, attempts(&pool).await), (0, tried(&["failed", "failed"])));
        assert!(last_error(&pool).await.contains("did not commit"), "{}", last_error(&pool).await);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_attempt_row_that_cannot_be_written_neither_undoes_nor_repeats_a_success() {
    for order in ORDERS {
        let Scene { gateway, pool, mut calls } = scene(order, |handler| handler).await;
        crate::support::work::execute(
            &pool,
            "create function refuse() returns trigger language plpgsql as
                $$ begin raise exception 'the disk of the log is full'; end $$;
             create trigger refuse before insert on hookgate.attempts for each row execute function refuse()",
        )
        .await;
        let call = calls.next().await;
        call.book().await;
        call.succeed();
        eventually("the job's end", 0, async || unfinished(&pool).await).await;
        assert_eq!((effects(&pool, "in_1").await, attempts(&pool).await), (1, vec![]));
        assert!(deaths(&pool).await.is_empty() && !calls.has_more());
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_handlers_open_transaction_makes_no_later_event_of_its_key_wait() {
    let Scene { gateway, pool, mut calls } = scene(Order::Lane, |handler| handler).await;
    let call = calls.next().await;
    call.book().await;
    let ingest = gateway.ingest_addr().unwrap();
    for n in 2..=21 {
        let event = Signed::stripe_event(&format!("evt_{n}"), "invoice.paid", "in_1");
        let answer = tokio::time::timeout(Duration::from_secs(1), event.send(ingest)).await.expect("an answer in time");
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    }
    assert_eq!(lanes(&pool).await, [("in_1".to_owned(), "claimed".to_owned(), 21)]);
    call.succeed();
    for _ in 2..=21 {
        calls.next().await.succeed();
    }
    eventually("an empty lane", vec![("in_1".to_owned(), "idle".to_owned(), 0)], async || lanes(&pool).await).await;
    gateway.shutdown().await;
}
