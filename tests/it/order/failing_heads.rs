//! What a lane does while its head fails, by policy, until the head is dead.

use std::time::Duration;

use hookgate::{HandlerError, OnFailure, Order};
use sqlx::PgPool;
use uuid::Uuid;

use super::{Scene, outcomes};
use crate::support::eventually::eventually;
use crate::support::work::{database_with_effects, deaths, execute, jobs, lanes, let_time_pass, number, unfinished};

const FIVE_MINUTES: Duration = Duration::from_secs(300);
const POLICIES: [OnFailure; 3] = [OnFailure::Block, OnFailure::Skip, OnFailure::Halt];

async fn lane_state(pool: &PgPool) -> String {
    lanes(pool).await.remove(0).1
}

/// Three events of a key, the first of which always fails: which of them ran, in order, and how often a lane was resumed.
async fn log(on_failure: OnFailure, attempts: u32) -> (Vec<usize>, usize) {
    let at_once = (Duration::from_millis(1), 1, Duration::from_millis(1));
    let mut scene = Scene::new(|handler| {
        handler.order(Order::Lane).on_failure(on_failure).attempts(attempts).backoff(at_once.0, at_once.1, at_once.2)
    })
    .await;
    let mut deliveries: Vec<Uuid> = vec![scene.send("evt_1", "hot", 1).await];
    let mut call = scene.calls.next().await;
    for n in 2..=3 {
        deliveries.push(scene.send(&format!("evt_{n}"), "hot", n).await);
    }
    let (mut order, mut resumed) = (Vec::new(), 0);
    loop {
        let n = deliveries.iter().position(|delivery| *delivery == call.delivery).unwrap();
        order.push(n + 1);
        if n == 0 {
            call.fail()
        } else {
            call.succeed()
        }
        let ended = order.len() as i64;
        let settled = "select count(*) from hookgate.attempts";
        eventually("it is settled", true, async || number(&scene.pool, settled).await >= ended).await;
        if lane_state(&scene.pool).await == "halted" {
            resumed += 1;
            assert!(!scene.calls.has_more(), "nothing runs in a lane that halted");
            scene.act("resume").await;
        }
        if unfinished(&scene.pool).await == 0 {
            break;
        }
        call = scene.calls.next().await;
    }
    assert_eq!(deaths(&scene.pool).await, ["exhausted"]);
    scene.all_done().await;
    (order, resumed)
}

#[tokio::test]
async fn the_order_is_the_policys_for_any_number_of_attempts() {
    assert_eq!(log(OnFailure::Block, 1).await, (vec![1, 2, 3], 0));
    assert_eq!(log(OnFailure::Block, 3).await, (vec![1, 1, 1, 2, 3], 0));
    assert_eq!(log(OnFailure::Halt, 1).await, (vec![1, 2, 3], 1));
    assert_eq!(log(OnFailure::Halt, 3).await, (vec![1, 1, 1, 2, 3], 3));
    assert_eq!(log(OnFailure::Skip, 1).await, (vec![1, 2, 3], 0));
    let (order, resumed) = log(OnFailure::Skip, 3).await;
    let of_others: Vec<usize> = order.iter().copied().filter(|n| *n != 1).collect();
    assert_eq!((order[0], of_others, order.len(), resumed), (1, vec![2, 3], 5, 0), "{order:?}");
}

#[tokio::test]
async fn a_head_that_is_skipped_retries_outside_its_lane_and_says_so() {
    let mut scene = Scene::new(|handler| handler.order(Order::Lane).on_failure(OnFailure::Skip)).await;
    let first = scene.send("evt_1", "hot", 1).await;
    let head = scene.calls.next().await;
    let second = scene.send("evt_2", "hot", 2).await;
    head.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, second, "the lane goes on at once");
    next.succeed();
    scene.lane_is("idle", 0).await;
    let shown = &scene.read("lanes?state=idle").await["items"][0];
    assert_eq!((shown["outside"].as_i64(), shown["gaps"].as_i64()), (Some(1), Some(0)), "{shown}");
    let job = &jobs(&scene.pool).await[0];
    assert_eq!((job.state.as_str(), job.in_lane, job.out_of_order), ("waiting", false, true));
    let_time_pass(&scene.pool).await;
    scene.calls.next().await.succeed();
    eventually("it is told", vec!["failed".to_owned(), "ok!".to_owned()], async || outcomes(&scene.pool, first).await)
        .await;
    scene.all_done().await;
}

#[tokio::test]
async fn a_halted_lane_is_listed_with_its_head_and_goes_on_with_it_when_resumed() {
    let mut scene = Scene::new(|handler| handler.order(Order::Lane).on_failure(OnFailure::Halt)).await;
    let first = scene.send("evt_1", "hot", 1).await;
    let head = scene.calls.next().await;
    let second = scene.send("evt_2", "hot", 2).await;
    head.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    scene.lane_is("halted", 2).await;
    scene.send("evt_3", "hot", 3).await;
    scene.send("evt_other", "other", 1).await;
    scene.calls.next().await.succeed();
    eventually("other keys go on", 3, async || unfinished(&scene.pool).await).await;

    let listed = scene.read("lanes?state=halted&handler=ordered&source=stripe&key=hot").await;
    let lane = &listed["items"][0];
    assert_eq!((lane["state"].as_str(), lane["pending"].as_i64()), (Some("halted"), Some(3)), "{listed}");
    assert_eq!(lane["head"]["delivery"], first.to_string(), "{listed}");
    assert_eq!((lane["head"]["failures"].as_i64(), lane["head"]["attempt"].as_i64()), (Some(1), Some(1)));
    assert!(lane["head"]["blocked_seconds"].as_f64().is_some_and(|seconds| seconds >= 0.0), "{listed}");
    assert!(!scene.calls.has_more());

    let id = lane["id"].as_str().unwrap();
    assert_eq!(scene.post(&format!("lanes/{id}/resume"), serde_json::json!({})).await.0, 200);
    for expected in [first, second] {
        let call = scene.calls.next().await;
        assert_eq!(call.delivery, expected);
        call.succeed();
    }
    scene.calls.next().await.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn a_lane_that_halts_does_so_too_for_a_head_that_takes_its_workers_down() {
    let mut scene = Scene::new(|handler| handler.order(Order::Lane).on_failure(OnFailure::Halt)).await;
    scene.send("evt_1", "hot", 1).await;
    let _held = scene.calls.next().await;
    scene.send("evt_2", "hot", 2).await;
    // As if two workers had died on it already, and the third did just now.
    execute(&scene.pool, "update hookgate.jobs set rescues = 2 where state = 'running'").await;
    execute(&scene.pool, "update hookgate.lanes set worker = '00000000-0000-4000-8000-000000000001'").await;
    scene.lane_is("halted", 1).await;
    assert_eq!(deaths(&scene.pool).await, ["poison"]);
    let shown = &scene.read("lanes?state=halted").await["items"][0];
    assert_eq!(shown["gaps"], 1, "{shown}");
    scene.act("resume").await;
    scene.calls.next().await.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn stepping_aside_is_no_failure_under_any_policy() {
    for on_failure in POLICIES {
        let mut scene = Scene::new(|handler| handler.order(Order::Lane).on_failure(on_failure)).await;
        let first = scene.send("evt_1", "hot", 1).await;
        let head = scene.calls.next().await;
        let second = scene.send("evt_2", "hot", 2).await;
        head.end(HandlerError::snooze(FIVE_MINUTES));
        let next = scene.calls.next().await;
        assert_eq!(next.delivery, second, "{on_failure:?}: passed over");
        next.succeed();
        let back = scene.calls.next().await;
        assert_eq!((back.delivery, jobs(&scene.pool).await[0].failures), (first, 0), "{on_failure:?}");
        back.succeed();
        scene.all_done().await;
    }
}

#[tokio::test]
async fn a_lane_keeps_its_gap_in_sight_for_as_long_as_there_is_one() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) =
        crate::support::puppet::puppet(hookgate::on("stripe", &["*"]).name("gap").order(Order::Lane));
    let gateway = crate::support::gateway::start(&database, "", vec![handler]).await;
    for (id, key) in [("evt_1", "gap"), ("evt_2", "whole")] {
        crate::support::gateway::Signed::stripe_event(id, "a.b", key).send(gateway.ingest_addr().unwrap()).await;
        let call = calls.next().await;
        if key == "gap" { call.end(HandlerError::because("hopeless").permanent()) } else { call.succeed() }
    }
    eventually("both ended", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
    execute(&pool, "update hookgate.lanes set touched_at = now() - interval '2 hours'").await;
    // Maintenance begins with a look.
    let (handler, _calls) =
        crate::support::puppet::puppet(hookgate::on("stripe", &["*"]).name("gap").order(Order::Lane));
    let gateway = crate::support::gateway::start(&database, "", vec![handler]).await;
    let left = vec![("gap".to_owned(), "idle".to_owned(), 0)];
    eventually("the lane without a gap is gone", left, async || lanes(&pool).await).await;
    gateway.shutdown().await;
}
