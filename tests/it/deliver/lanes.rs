//! What a lane does with a head that fails, one that steps aside, and one that comes back.

use std::time::Duration;

use hookgate::{HandlerError, Named, Order, Running, on};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::{Call, Calls, puppet};
use crate::support::work::{
    attempts, database_with_effects, deaths, execute, jobs, lanes, let_time_pass, number, unfinished,
};

const FIVE_MINUTES: Duration = Duration::from_secs(300);

struct Scene {
    gateway: Running,
    pool: PgPool,
    calls: Calls,
}

impl Scene {
    /// A gateway with one handler that works in lanes, and `n` events of one key, of which the first is running.
    async fn new(n: usize, options: impl FnOnce(Named) -> Named) -> (Self, Call) {
        let (database, pool) = database_with_effects().await;
        let (handler, calls) = puppet(options(on("stripe", &["*"]).name("lane").order(Order::Lane)));
        let gateway = start(&database, "", vec![handler]).await;
        let mut scene = Self { gateway, pool, calls };
        // The first is held while the others come, so that all of them are there when it ends.
        scene.deliver("evt_1", "hot").await;
        let first = scene.calls.next().await;
        for n in 2..=n {
            scene.deliver(&format!("evt_{n}"), "hot").await;
        }
        (scene, first)
    }

    async fn deliver(&self, id: &str, key: &str) -> String {
        let answer = Signed::stripe_event(id, "a.b", key).send(self.gateway.ingest_addr().unwrap()).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        answer.outcome().to_owned()
    }

    async fn all_done(self) {
        eventually("no unfinished job", 0, async || unfinished(&self.pool).await).await;
        let idle = lanes(&self.pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0));
        assert!(idle, "{:?}", lanes(&self.pool).await);
        self.gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_failing_head_holds_up_its_own_key_and_no_other() {
    let (mut scene, head) = Scene::new(3, |handler| handler).await;
    let head_sequence = head.sequence;
    head.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    eventually("the lane waits", vec![("hot".to_owned(), "ready".to_owned(), 3)], async || lanes(&scene.pool).await)
        .await;
    let due_in = "select extract(epoch from due - now())::bigint from hookgate.lanes";
    assert!((290..=300).contains(&number(&scene.pool, due_in).await));
    scene.deliver("evt_other", "other").await;
    let other = scene.calls.next().await;
    assert_eq!(other.object, "other");
    other.succeed();
    eventually("the other's end", 3, async || unfinished(&scene.pool).await).await;
    assert!(!scene.calls.has_more());

    let_time_pass(&scene.pool).await;
    let head = scene.calls.next().await;
    assert_eq!((head.sequence, head.attempt), (head_sequence, 2));
    head.succeed();
    scene.calls.next().await.succeed();
    scene.calls.next().await.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn a_head_that_blocked_its_lane_for_long_enough_retries_outside_it_and_is_marked() {
    let (mut scene, head) = Scene::new(3, |handler| handler.block_for(Duration::from_secs(900))).await;
    let late = head.delivery;
    head.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    eventually("the head waits", true, async || jobs(&scene.pool).await[0].state == "waiting").await;
    execute(
        &scene.pool,
        "update hookgate.jobs set failing_since = now() - interval '11 minutes' where state = 'waiting'",
    )
    .await;
    let_time_pass(&scene.pool).await;
    let head = scene.calls.next().await;
    assert_eq!((head.delivery, head.attempt), (late, 2));
    head.end(HandlerError::because("later").retry_after(FIVE_MINUTES));

    for _ in 0..2 {
        let next = scene.calls.next().await;
        assert_ne!(next.delivery, late);
        next.succeed();
    }
    eventually("the others' end", 1, async || unfinished(&scene.pool).await).await;
    let job = &jobs(&scene.pool).await[0];
    assert_eq!((job.state.as_str(), job.in_lane, job.out_of_order, job.failures), ("waiting", false, true, 2));
    assert_eq!(lanes(&scene.pool).await, [("hot".to_owned(), "idle".to_owned(), 0)]);

    let_time_pass(&scene.pool).await;
    let head = scene.calls.next().await;
    assert_eq!((head.delivery, head.attempt), (late, 3));
    head.succeed();
    let pool = scene.pool.clone();
    scene.all_done().await;
    let marked = "select count(*) from hookgate.attempts where out_of_order and attempt = 3 and outcome = 'ok'";
    assert_eq!(number(&pool, marked).await, 1);
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order").await, 1);
}

#[tokio::test]
async fn a_dead_head_lets_its_lane_go_on() {
    let (mut scene, head) = Scene::new(2, |handler| handler).await;
    head.end(HandlerError::because("hopeless").permanent());
    scene.calls.next().await.succeed();
    let pool = scene.pool.clone();
    scene.all_done().await;
    assert_eq!(deaths(&pool).await, ["permanent"]);
}

#[tokio::test]
async fn a_job_that_steps_aside_keeps_its_place_uses_no_failure_and_is_tried_again_when_another_ends() {
    let (mut scene, first) = Scene::new(4, |handler| handler).await;
    let order: Vec<_> = {
        let mut order = vec![first.delivery];
        first.end(HandlerError::snooze(FIVE_MINUTES));
        // Passed over, not waited for; and after every one that ends it is looked at again, before what came later.
        for aside in [false, true, false, false, false] {
            let call = scene.calls.next().await;
            order.push(call.delivery);
            if aside { call.end(HandlerError::snooze(FIVE_MINUTES)) } else { call.succeed() }
        }
        order
    };
    let (a, b, c) = (order[0], order[1], order[3]);
    assert_eq!(order[2], a, "tried again after the second ended: {order:?}");
    assert_ne!(b, c);
    assert_eq!(order[4], a, "and after the third ended: {order:?}");
    let pool = scene.pool.clone();
    scene.all_done().await;
    let outcomes: Vec<String> = attempts(&pool).await.into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, ["snoozed", "ok", "snoozed", "ok", "ok", "ok"]);
    // It ended after later ones, and says so; they do not.
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order and outcome = 'ok'").await, 1);
}

#[tokio::test]
async fn stepping_aside_counts_by_the_time_it_really_took() {
    let (mut scene, first) = Scene::new(20, |handler| handler).await;
    let aside = first.delivery;
    first.end(HandlerError::snooze(FIVE_MINUTES));
    // Far more than ten minutes were asked for in all; hardly a second went by.
    for _ in 0..38 {
        let call = scene.calls.next().await;
        if call.delivery == aside && unfinished(&scene.pool).await > 1 {
            call.end(HandlerError::snooze(FIVE_MINUTES));
        } else {
            call.succeed();
        }
        if unfinished(&scene.pool).await == 0 {
            break;
        }
    }
    let pool = scene.pool.clone();
    while let Some(call) = scene.calls.taken() {
        call.succeed();
    }
    scene.all_done().await;
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where outcome = 'failed'").await, 0);
    assert!(number(&pool, "select count(*) from hookgate.attempts where outcome = 'snoozed'").await > 2);
}

#[tokio::test]
async fn a_job_that_steps_aside_alone_comes_back_at_its_time_and_at_last_fails() {
    for order in [Order::Lane, Order::None] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("aside").order(order).attempts(1));
        let gateway = start(&database, "", vec![handler]).await;
        Signed::stripe_event("evt_1", "a.b", "hot").send(gateway.ingest_addr().unwrap()).await;
        for snoozes in 1..=2 {
            calls.next().await.end(HandlerError::snooze(FIVE_MINUTES));
            eventually("it stands aside", 300_000 * snoozes, async || jobs(&pool).await[0].snoozed_ms).await;
            assert_eq!((jobs(&pool).await[0].state.as_str(), jobs(&pool).await[0].failures), ("waiting", 0));
            let_time_pass(&pool).await;
        }
        calls.next().await.end(HandlerError::snooze(FIVE_MINUTES));
        eventually("its budget is used up", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_revived_job_runs_next_at_its_original_place_and_is_marked_if_later_ones_are_done() {
    let (mut scene, first) = Scene::new(4, |handler| handler).await;
    let (revived, place) = (first.delivery, first.sequence);
    first.end(HandlerError::because("hopeless").permanent());
    let second = scene.calls.next().await;
    eventually("a dead job", vec!["permanent".to_owned()], async || deaths(&scene.pool).await).await;
    // Its sender delivers it again while the second runs and the third and fourth are claimed with it.
    assert_eq!(scene.deliver("evt_1", "hot").await, "requeued");
    second.succeed();
    let next = scene.calls.next().await;
    assert_eq!((next.delivery, next.sequence, next.attempt), (revived, place, 2));
    next.succeed();
    for _ in 0..2 {
        scene.calls.next().await.succeed();
    }
    let pool = scene.pool.clone();
    scene.all_done().await;
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order and attempt = 2").await, 1);
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order").await, 1);
}
