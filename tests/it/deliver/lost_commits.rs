//! The settle whose COMMIT, or its answer, is lost: nobody knows whether it took place, and still it counts once.

use std::time::Duration;

use hookgate::{HandlerError, Named, Order, Running, on};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::lost_answer::Line;
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{
    attempts, database_with_effects, deaths, effects, execute, jobs, lanes, number, tried, unfinished, workers,
};

struct Scene {
    gateway: Running,
    pool: PgPool,
    calls: Calls,
    line: Line,
}

/// Two events of one key. The handler has one place, so while it runs nothing is claimed: the next COMMIT is a settle's.
async fn scene(order: Order) -> Scene {
    let (database, pool) = database_with_effects().await;
    let (line, through) = Line::to(&database).await;
    let options = |named: Named| named.order(order).concurrency(1).backoff(Duration::ZERO, 1, Duration::from_secs(60));
    let (handler, calls) = puppet(options(on("stripe", &["*"]).name("book")));
    // Recorded first, so that one claim holds both.
    let recording = start(&database, "", vec![handler.clone()]).await;
    execute(&pool, "update hookgate.subscriptions set paused = true").await;
    for n in 1..=2 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", "in_1").send(recording.ingest_addr().unwrap()).await;
    }
    recording.shutdown().await;
    execute(&pool, "update hookgate.subscriptions set paused = false").await;
    let gateway = start(&through, "", vec![handler]).await;
    Scene { gateway, pool, calls, line }
}

impl Scene {
    async fn end(self, expected_attempts: usize) {
        eventually("no unfinished job", 0, async || unfinished(&self.pool).await).await;
        assert!(self.line.has_lost_it());
        assert!(lanes(&self.pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0)));
        assert_eq!(attempts(&self.pool).await.len(), expected_attempts, "{:?}", attempts(&self.pool).await);
        let doubled = "select count(*) from (select from hookgate.attempts where outcome = 'ok'
                        group by delivery, event, subscription, run having count(*) > 1) d";
        assert_eq!((number(&self.pool, doubled).await, deaths(&self.pool).await.len()), (0, 0));
        assert_eq!(workers(&self.pool).await, 1, "nobody was taken for dead");
        self.gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_settle_that_took_place_and_was_not_heard_of_is_not_done_again() {
    for order in [Order::None, Order::Lane] {
        for writes in [true, false] {
            let mut scene = scene(order).await;
            let first = scene.calls.next().await;
            let settled = first.delivery;
            if writes {
                first.book().await;
            }
            scene.line.lose_the_answer_to_the_next_commit();
            first.succeed();
            let second = scene.calls.next().await;
            assert_ne!(second.delivery, settled, "the first ran again");
            assert_eq!(second.attempt, 1);
            if writes {
                second.book().await;
            }
            second.succeed();
            let pool = scene.pool.clone();
            scene.end(2).await;
            assert_eq!(effects(&pool, "in_1").await, if writes { 2 } else { 0 });
            assert_eq!(
                number(&pool, "select count(*) from hookgate.attempts where outcome = 'ok' and attempt = 1").await,
                2
            );
        }
    }
}

#[tokio::test]
async fn a_settle_that_did_not_take_place_is_done_again_or_its_effects_are_written_again() {
    for order in [Order::None, Order::Lane] {
        // Without effects the result itself is kept and settled again; with them the run is tried again.
        for (writes, runs) in [(true, 2), (false, 1)] {
            let mut scene = scene(order).await;
            let first = scene.calls.next().await;
            let lost = first.delivery;
            if writes {
                first.book().await;
            }
            scene.line.lose_the_next_commit();
            first.succeed();
            let mut seen = 1;
            for _ in 0..runs {
                let call = scene.calls.next().await;
                seen += i32::from(call.delivery == lost);
                if writes {
                    call.book().await;
                }
                call.succeed();
            }
            assert_eq!(seen, runs);
            let pool = scene.pool.clone();
            scene.end(usize::try_from(runs).expect("small") + 1).await;
            assert_eq!(effects(&pool, "in_1").await, if writes { 2 } else { 0 });
        }
    }
}

#[tokio::test]
async fn a_failure_whose_settle_was_not_heard_of_counts_once() {
    for order in [Order::None, Order::Lane] {
        let mut scene = scene(order).await;
        let first = scene.calls.next().await;
        let failed = first.delivery;
        scene.line.lose_the_answer_to_the_next_commit();
        first.end(HandlerError::because("later").retry_after(Duration::from_secs(30)));
        eventually("one failure", vec![("waiting".to_owned(), 1, 1)], async || {
            let jobs = jobs(&scene.pool).await.into_iter().filter(|job| job.failures > 0);
            jobs.map(|job| (job.state, job.failures, job.attempt)).collect::<Vec<_>>()
        })
        .await;
        execute(&scene.pool, "update hookgate.jobs set due = now(); update hookgate.lanes set due = now()").await;
        let mut of_the_failed = Vec::new();
        for _ in 0..2 {
            let call = scene.calls.next().await;
            if call.delivery == failed {
                of_the_failed.push(call.attempt);
            }
            call.succeed();
        }
        assert_eq!(of_the_failed, [2]);
        scene.end(3).await;
    }
}

#[tokio::test]
async fn a_connection_that_is_ended_while_it_commits_doubles_and_loses_nothing() {
    for order in [Order::None, Order::Lane] {
        let mut scene = scene(order).await;
        // A deferred trigger runs inside COMMIT, and ends its own connection there, the first time.
        execute(
            &scene.pool,
            "create function end_me() returns trigger language plpgsql as
                $$ begin if new.attempt = 1 and pg_terminate_backend(pg_backend_pid()) then null; end if; return null; end $$;
             create constraint trigger end_me after insert on effect deferrable initially deferred
                for each row execute function end_me()",
        )
        .await;
        for _ in 0..4 {
            let call = scene.calls.next().await;
            call.book().await;
            call.succeed();
        }
        eventually("no unfinished job", 0, async || unfinished(&scene.pool).await).await;
        assert_eq!((effects(&scene.pool, "in_1").await, scene.calls.has_more()), (2, false));
        let mut outcomes = attempts(&scene.pool).await;
        outcomes.sort();
        let twice =
            |expected: &[&str]| tried(expected).into_iter().flat_map(|one| [one.clone(), one]).collect::<Vec<_>>();
        assert_eq!(outcomes, twice(&["failed", "ok"]));
        scene.gateway.shutdown().await;
    }
}
