//! `reorder_window`: what comes close together starts in the provider's order.

use std::time::Duration;

use hookgate::{Named, Order};
use uuid::Uuid;

use super::{Scene, outcomes};
use crate::support::eventually::eventually;
use crate::support::work::{execute, number};

const DUE_IN: &str = "select ceil(extract(epoch from due - clock_timestamp()))::bigint from hookgate.lanes";

/// A lane that has this much queued before its window is over, which the test says.
async fn after_window(order: Order, versions: &[i64]) -> (Scene, Vec<Uuid>) {
    let scene = Scene::new(|handler: Named| handler.order(order).reorder_window(Duration::from_secs(5))).await;
    let mut sent = Vec::new();
    for (n, version) in versions.iter().enumerate() {
        sent.push(scene.send(&format!("evt_{n}"), "hot", *version).await);
        let due_in = number(&scene.pool, DUE_IN).await;
        if n == 0 {
            assert!((1..=5).contains(&due_in), "an idle lane waits: {due_in}");
        } else if order == Order::Lane {
            assert!(due_in > 3000, "what comes meanwhile neither ends the window nor begins another: {due_in}");
        }
        execute(&scene.pool, "update hookgate.lanes set due = now() + interval '1 hour'").await;
    }
    execute(&scene.pool, "update hookgate.lanes set due = now()").await;
    (scene, sent)
}

#[tokio::test]
async fn what_comes_within_the_window_starts_by_version_and_ties_are_marked() {
    let (mut scene, sent) = after_window(Order::Lane, &[30, 10, 20, 10]).await;
    let order = [1, 3, 2, 0];
    let mut sequence = 0;
    for (n, expected) in order.into_iter().enumerate() {
        let call = scene.calls.next().await;
        assert_eq!(call.delivery, sent[expected], "number {n}");
        let at = call.sequence.unwrap();
        assert!(at > sequence, "places rise in the order in which jobs run");
        sequence = at;
        call.succeed();
    }
    scene.lane_is("idle", 0).await;
    for (n, expected) in [(0, "ok"), (1, "ok?"), (2, "ok"), (3, "ok?")] {
        assert_eq!(outcomes(&scene.pool, sent[n]).await, [expected], "number {n}");
    }
    // Too late for the window: it runs, and says that it is out of order.
    let late = scene.send("evt_late", "hot", 15).await;
    execute(&scene.pool, "update hookgate.lanes set due = now()").await;
    scene.calls.next().await.succeed();
    eventually("it is marked", vec!["ok!".to_owned()], async || outcomes(&scene.pool, late).await).await;
    scene.all_done().await;
}

#[tokio::test]
async fn what_waits_behind_a_running_job_is_sorted_too_and_never_put_before_what_has_begun() {
    let mut scene = Scene::new(|handler| handler.order(Order::Lane).reorder_window(Duration::from_secs(5))).await;
    let first = scene.send("evt_0", "hot", 50).await;
    execute(&scene.pool, "update hookgate.lanes set due = now()").await;
    let running = scene.calls.next().await;
    let mut sent = Vec::new();
    for version in [80, 60, 70, 40] {
        sent.push(scene.send(&format!("evt_{version}"), "hot", version).await);
    }
    running.fail();
    let waiting = "select count(*) from hookgate.jobs where state = 'waiting'";
    eventually("it waits", 1, async || number(&scene.pool, waiting).await).await;
    crate::support::work::let_time_pass(&scene.pool).await;
    for expected in [first, sent[3], sent[1], sent[2], sent[0]] {
        let call = scene.calls.next().await;
        assert_eq!(call.delivery, expected);
        call.succeed();
    }
    eventually("it is marked", vec!["ok!".to_owned()], async || outcomes(&scene.pool, sent[3]).await).await;
    scene.all_done().await;
}

#[tokio::test]
async fn with_latest_a_window_spares_the_handler_what_is_replaced_within_it() {
    let (mut scene, sent) = after_window(Order::Latest, &[20, 30, 10]).await;
    let call = scene.calls.next().await;
    assert_eq!(call.delivery, sent[1]);
    call.succeed();
    scene.lane_is("idle", 0).await;
    for n in [0, 2] {
        assert_eq!(outcomes(&scene.pool, sent[n]).await, ["superseded"]);
    }
    let late = scene.send("evt_late", "hot", 15).await;
    execute(&scene.pool, "update hookgate.lanes set due = now()").await;
    eventually("it is stale", vec!["stale".to_owned()], async || outcomes(&scene.pool, late).await).await;
    assert!(!scene.calls.has_more());
    scene.all_done().await;
}
