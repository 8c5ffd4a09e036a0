//! `order = "latest"`: the newest version of a key is handled, and what is older never after it.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use hookgate::{HandlerError, Order};
use serde_json::json;
use uuid::Uuid;

use super::{Scene, outcomes};
use crate::support::eventually::eventually;
use crate::support::work::{deaths, execute, jobs, let_time_pass, number, unfinished};

const FIVE_MINUTES: Duration = Duration::from_secs(300);

async fn latest() -> Scene {
    // Longer than a busy machine takes to send a thousand events.
    Scene::new(|handler| handler.order(Order::Latest).timeout(2 * FIVE_MINUTES)).await
}

async fn told(scene: &Scene, delivery: Uuid, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|outcome| (*outcome).to_owned()).collect();
    eventually("what became of it", expected, async || outcomes(&scene.pool, delivery).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_thousand_updates_that_come_while_the_handler_runs_only_the_newest_is_handled() {
    let mut scene = latest().await;
    let first = scene.send("evt_0", "hot", 0).await;
    let running = scene.calls.next().await;
    // In an order of their own: 7919 has no factor in common with a thousand.
    let versions: Vec<i64> = (0..1000).map(|n| 1 + n * 7919 % 1000).collect();
    let sent: Vec<(i64, Uuid)> = stream::iter(versions)
        .map(|version| {
            let scene = &scene;
            async move { (version, scene.send(&format!("evt_{version}"), "hot", version).await) }
        })
        .buffer_unordered(32)
        .collect()
        .await;
    let newest = sent.iter().max().unwrap().1;
    assert!(!scene.calls.has_more(), "the running one is not disturbed");
    running.succeed();
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, newest);
    eventually("the others are superseded", 999, async || {
        number(&scene.pool, "select count(*) from hookgate.attempts where outcome = 'superseded'").await
    })
    .await;
    scene.lane_is("claimed", 1).await;
    next.succeed();
    told(&scene, first, &["ok"]).await;
    told(&scene, newest, &["ok"]).await;
    let shown = scene.read(&format!("deliveries/{}/jobs", sent[0].1)).await;
    assert!(["superseded", "done"].contains(&shown["items"][0]["state"].as_str().unwrap()), "{shown}");
    scene.all_done().await;
}

#[tokio::test]
async fn an_older_version_that_comes_later_is_stale_and_never_applied() {
    let mut scene = latest().await;
    scene.send("evt_9", "hot", 9).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    let late = scene.send("evt_3", "hot", 3).await;
    told(&scene, late, &["stale"]).await;
    let newer = scene.send("evt_10", "hot", 10).await;
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, newer);
    next.succeed();
    // Another key has its own newest.
    scene.send("evt_other", "other", 1).await;
    scene.calls.next().await.succeed();
    assert!(!scene.calls.has_more());
    scene.all_done().await;
}

#[tokio::test]
async fn what_was_not_handled_well_leaves_no_mark() {
    let mut scene = latest().await;
    let nine = scene.send("evt_9", "hot", 9).await;
    let running = scene.calls.next().await;
    let three = scene.send("evt_3", "hot", 3).await;
    running.end(HandlerError::because("hopeless").permanent());
    // Nine was never applied, so three is not stale.
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, three);
    next.succeed();
    scene.lane_is("idle", 0).await;
    let listed = scene.read("lanes?state=unapplied").await;
    assert_eq!(listed["items"][0]["unapplied"], nine.to_string(), "{listed}");

    let (status, replayed) = scene.post(&format!("deliveries/{nine}/replay"), json!({})).await;
    assert_eq!((status, &replayed["redriven"]), (202, &json!(["ordered"])), "{replayed}");
    let again = scene.calls.next().await;
    assert_eq!((again.delivery, again.attempt), (nine, 2));
    again.succeed();
    scene.lane_is("idle", 0).await;
    told(&scene, nine, &["permanent", "ok"]).await;
    assert_eq!(scene.read("lanes?state=unapplied").await["items"], json!([]));
    scene.all_done().await;
}

#[tokio::test]
async fn a_dead_one_that_is_older_than_what_was_handled_since_ends_stale_when_redriven() {
    let mut scene = latest().await;
    let three = scene.send("evt_3", "hot", 3).await;
    scene.calls.next().await.end(HandlerError::because("hopeless").permanent());
    eventually("it is dead", 1, async || deaths(&scene.pool).await.len()).await;
    scene.send("evt_9", "hot", 9).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    assert_eq!(scene.read("lanes?state=unapplied").await["items"], json!([]), "nine covers it");
    scene.post(&format!("deliveries/{three}/replay"), json!({})).await;
    told(&scene, three, &["permanent", "stale"]).await;
    assert!(!scene.calls.has_more());
    scene.all_done().await;
}

#[tokio::test]
async fn of_equal_versions_the_later_wins_and_both_are_marked() {
    let mut scene = latest().await;
    scene.send("evt_0", "hot", 1).await;
    let running = scene.calls.next().await;
    let earlier = scene.send("evt_a", "hot", 5).await;
    let later = scene.send("evt_b", "hot", 5).await;
    running.succeed();
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, later);
    next.succeed();
    told(&scene, earlier, &["superseded?"]).await;
    told(&scene, later, &["ok?"]).await;
    // Equal to what was handled: later, so it is applied, and marked.
    let third = scene.send("evt_c", "hot", 5).await;
    scene.calls.next().await.succeed();
    told(&scene, third, &["ok?"]).await;
    scene.all_done().await;
}

#[tokio::test]
async fn a_newer_one_does_not_wait_for_the_retry_of_what_it_replaces_and_an_older_one_does() {
    let mut scene = latest().await;
    let five = scene.send("evt_5", "hot", 5).await;
    scene.calls.next().await.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    eventually("it waits", true, async || jobs(&scene.pool).await[0].state == "waiting").await;
    let four = scene.send("evt_4", "hot", 4).await;
    eventually("four was looked at and left", true, async || {
        number(&scene.pool, "select extract(epoch from due - now())::bigint from hookgate.lanes").await > 200
    })
    .await;
    assert!(!scene.calls.has_more());
    assert_eq!(unfinished(&scene.pool).await, 2, "nothing is superseded by what has not started");
    let six = scene.send("evt_6", "hot", 6).await;
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, six);
    next.succeed();
    told(&scene, five, &["failed", "superseded"]).await;
    told(&scene, four, &["superseded"]).await;
    scene.all_done().await;
}

#[tokio::test]
async fn a_newer_one_that_came_while_it_ran_takes_the_place_of_a_failed_one_at_once() {
    let mut scene = latest().await;
    let five = scene.send("evt_5", "hot", 5).await;
    let running = scene.calls.next().await;
    let six = scene.send("evt_6", "hot", 6).await;
    running.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, six);
    next.succeed();
    told(&scene, five, &["failed", "superseded"]).await;
    scene.all_done().await;
}

#[tokio::test]
async fn the_newest_never_leaves_its_lane_however_long_it_fails() {
    let mut scene = latest().await;
    scene.send("evt_5", "hot", 5).await;
    scene.calls.next().await.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    eventually("it waits", true, async || jobs(&scene.pool).await[0].state == "waiting").await;
    execute(&scene.pool, "update hookgate.jobs set failing_since = now() - interval '1 day'").await;
    let_time_pass(&scene.pool).await;
    scene.calls.next().await.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
    eventually("it failed twice", 2, async || jobs(&scene.pool).await[0].failures).await;
    assert!(jobs(&scene.pool).await[0].in_lane);
    let_time_pass(&scene.pool).await;
    scene.calls.next().await.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn one_that_steps_aside_comes_back_with_whatever_comes_next_unless_that_is_newer() {
    let mut scene = latest().await;
    let five = scene.send("evt_5", "hot", 5).await;
    scene.calls.next().await.end(HandlerError::snooze(FIVE_MINUTES));
    eventually("it stands aside", 300_000, async || jobs(&scene.pool).await[0].snoozed_ms).await;
    let four = scene.send("evt_4", "hot", 4).await;
    assert!(unfinished(&scene.pool).await == 2 && !scene.calls.has_more());
    let six = scene.send("evt_6", "hot", 6).await;
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, six);
    next.succeed();
    told(&scene, five, &["snoozed", "superseded"]).await;
    told(&scene, four, &["superseded"]).await;
    scene.all_done().await;
}

#[tokio::test]
async fn an_older_event_replayed_by_force_runs_and_does_not_lower_the_mark() {
    let mut scene = latest().await;
    let three = scene.send("evt_3", "hot", 3).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    scene.send("evt_9", "hot", 9).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    scene.post(&format!("deliveries/{three}/replay"), json!({"force": true})).await;
    let replayed = scene.calls.next().await;
    assert_eq!((replayed.delivery, replayed.replay), (three, true));
    replayed.succeed();
    scene.lane_is("idle", 0).await;
    told(&scene, three, &["ok", "ok!"]).await;
    assert_eq!(number(&scene.pool, "select version from hookgate.lanes").await, 9);
    let late = scene.send("evt_4", "hot", 4).await;
    told(&scene, late, &["stale"]).await;
    assert!(!scene.calls.has_more());
    scene.all_done().await;
}

#[tokio::test]
async fn what_comes_while_an_older_event_is_replayed_has_the_last_word() {
    let mut scene = latest().await;
    let three = scene.send("evt_3", "hot", 3).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    scene.send("evt_9", "hot", 9).await;
    let running = scene.calls.next().await;
    let ten = scene.send("evt_10", "hot", 10).await;
    scene.post(&format!("deliveries/{three}/replay"), json!({"force": true})).await;
    running.succeed();
    for expected in [three, ten] {
        let next = scene.calls.next().await;
        assert_eq!(next.delivery, expected);
        next.succeed();
    }
    scene.lane_is("idle", 0).await;
    assert_eq!(number(&scene.pool, "select version from hookgate.lanes").await, 10);
    scene.all_done().await;
}

#[tokio::test]
async fn a_settle_that_would_put_something_older_over_something_newer_is_fenced() {
    let mut scene = latest().await;
    scene.send("evt_5", "hot", 5).await;
    let running = scene.calls.next().await;
    running.book().await;
    // As no claim could: the mark moves on while the handler runs.
    let mark = "update hookgate.lanes set version = 9223372036854775807, mark_seq = 1 where state = 'claimed'";
    execute(&scene.pool, mark).await;
    running.succeed();
    eventually("it ends stale", 1, async || {
        number(&scene.pool, "select count(*) from hookgate.attempts where outcome = 'stale'").await
    })
    .await;
    assert_eq!(crate::support::work::effects(&scene.pool, "hot").await, 0, "its effects are rolled back");
    scene.all_done().await;
}

#[tokio::test]
async fn events_without_a_version_are_as_new_as_they_come() {
    let (handler, calls) =
        crate::support::puppet::puppet(hookgate::on("standard", &["*"]).name("ordered").order(Order::Latest));
    let mut scene = Scene::with(handler, calls, "").await;
    let to = scene.gateway.ingest_addr().unwrap();
    let send = async |id: &str| {
        let answer = crate::support::gateway::Signed::standard(id, r#"{"type":"a.b"}"#).send(to).await;
        answer.id().parse::<Uuid>().unwrap()
    };
    send("msg_1").await;
    let running = scene.calls.next().await;
    let (second, third) = (send("msg_2").await, send("msg_3").await);
    running.succeed();
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, third);
    next.succeed();
    told(&scene, second, &["superseded"]).await;
    scene.all_done().await;
}

#[tokio::test]
async fn a_mark_outlives_an_idle_lane_by_as_long_as_receipts_are_kept() {
    let mut scene = latest().await;
    scene.send("evt_9", "hot", 9).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    let age = async |interval: &str| {
        execute(&scene.pool, &format!("update hookgate.lanes set touched_at = now() - interval '{interval}'")).await;
    };
    let (pool, database) = (scene.pool.clone(), &scene._database);
    age("99 days").await;
    scene.gateway.shutdown().await;
    let restart = async || {
        let (handler, _calls) =
            crate::support::puppet::puppet(hookgate::on("stripe", &["*"]).name("ordered").order(Order::Latest));
        crate::support::gateway::start(database, "", vec![handler]).await
    };
    // Old enough to go, so that its end tells that the purge has been there.
    let other =
        "insert into hookgate.lanes (lane, subscription, label, state, class, pending, next_seq, due, touched_at)
                 select decode(md5('other'), 'hex'), id, 'other', 'idle', 0, 0, 1, now(), now() - interval '2 hours'
                   from hookgate.subscriptions limit 1";
    execute(&pool, other).await;
    let gateway = restart().await;
    eventually("the purge was there", 1, async || number(&pool, "select count(*) from hookgate.lanes").await).await;
    assert_eq!(number(&pool, "select version from hookgate.lanes").await, 9);
    gateway.shutdown().await;
    execute(&pool, "update hookgate.lanes set touched_at = now() - interval '101 days'").await;
    let gateway = restart().await;
    eventually("it is gone", 0, async || number(&pool, "select count(*) from hookgate.lanes").await).await;
    gateway.shutdown().await;
}
