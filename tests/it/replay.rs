//! Replay by an operator: what is not done runs, what is done runs again only by force, and two clicks make one.

use hookgate::{HandlerError, Order, Running, on};
use serde_json::{Value, json};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, start};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, deaths, jobs, let_time_pass, number, tried, unfinished};

/// Asks for a replay, and gives back what was done without the handlers that were left alone.
async fn replay(gateway: &Running, delivery: &str, asked: Value) -> Value {
    let url = format!("http://{}/api/v1/deliveries/{delivery}/replay", gateway.operator_addr().unwrap());
    let response = client().post(url).json(&asked).send().await.expect("an answer");
    let status = response.status();
    let text = response.text().await.expect("a body");
    assert!(status.is_success(), "{status} {text}");
    serde_json::from_str(&text).expect("JSON")
}

async fn deliver(gateway: &Running, id: &str, key: &str) -> String {
    let answer = Signed::stripe_event(id, "a.b", key).send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    answer.id().to_owned()
}

#[tokio::test]
async fn by_default_only_what_is_not_done_runs() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let named = |name: &str| puppet(on("stripe", &["*"]).name(name).order(order));
        let ((done, mut done_calls), (dead, mut dead_calls)) = (named("done"), named("dead"));
        let (waiting, mut waiting_calls) = named("waiting");
        let gateway = start(&database, "", vec![done, dead, waiting]).await;
        let delivery = deliver(&gateway, "evt_1", "in_1").await;
        done_calls.next().await.succeed();
        dead_calls.next().await.end(HandlerError::because("hopeless").permanent());
        let later = HandlerError::because("later").retry_after(std::time::Duration::from_secs(600));
        waiting_calls.next().await.end(later);
        eventually("one waits", true, async || {
            let jobs = jobs(&pool).await;
            jobs.len() == 1 && jobs[0].state == "waiting" && deaths(&pool).await.len() == 1
        })
        .await;

        let answer = replay(&gateway, &delivery, json!({})).await;
        assert_eq!(answer["redriven"], json!(["dead"]), "{answer}");
        assert_eq!(answer["hastened"], json!(["waiting"]), "{answer}");
        assert_eq!(answer["queued"], json!([]), "{answer}");
        assert_eq!(answer["skipped"], json!([{"handler": "done", "why": "done"}]), "{answer}");
        let (revived, hastened) = (dead_calls.next().await, waiting_calls.next().await);
        assert_eq!((revived.attempt, revived.replay, hastened.attempt), (2, false, 2));
        revived.succeed();
        hastened.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert!(!done_calls.has_more() && !dead_calls.has_more() && !waiting_calls.has_more());
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn by_force_a_finished_job_runs_again_as_a_replay_with_the_same_downstream_key_at_its_place() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("again").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        let delivery = deliver(&gateway, "evt_1", "in_1").await;
        let first = calls.next().await;
        let (key, place) = (first.key.clone(), first.sequence);
        assert!(!first.replay);
        first.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        deliver(&gateway, "evt_2", "in_1").await;
        calls.next().await.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;

        let answer = replay(&gateway, &delivery, json!({"force": true})).await;
        assert_eq!(answer["queued"], json!(["again"]), "{answer}");
        let again = calls.next().await;
        assert_eq!((again.replay, again.attempt, &again.key, again.sequence), (true, 1, &key, place));
        assert_eq!(again.delivery.to_string(), delivery);
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        let run = answer["run"].as_i64().expect("a number");
        assert_eq!(number(&pool, &format!("select count(*) from hookgate.attempts where run = {run}")).await, 1);
        // The first record is as it was.
        assert_eq!(number(&pool, "select count(*) from hookgate.attempts where run = 0 and outcome = 'ok'").await, 2);
        let marked = "select count(*) from hookgate.attempts where run > 0 and out_of_order";
        assert_eq!(number(&pool, marked).await, i64::from(order == Order::Lane));
        let audited =
            format!("select count(*) from hookgate.audit where action = 'delivery.replay' and object = '{delivery}'");
        assert_eq!(number(&pool, &audited).await, 1);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn two_clicks_make_one() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("twice").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        let delivery = deliver(&gateway, "evt_1", "in_1").await;
        calls.next().await.end(HandlerError::because("hopeless").permanent());
        eventually("a dead job", vec!["permanent".to_owned()], async || deaths(&pool).await).await;

        let clicks = || replay(&gateway, &delivery, json!({"force": true}));
        let (a, b, c) = tokio::join!(clicks(), clicks(), clicks());
        let did =
            |what: &str| [&a, &b, &c].iter().filter(|answer| !answer[what].as_array().unwrap().is_empty()).count();
        assert_eq!((did("redriven"), did("queued")), (1, 0), "{a} {b} {c}");
        let call = calls.next().await;
        // And while it runs.
        let click = replay(&gateway, &delivery, json!({"force": true})).await;
        assert_eq!((&click["queued"], &click["redriven"]), (&json!([]), &json!([])), "{click}");
        call.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!((attempts(&pool).await, calls.has_more()), (tried(&["permanent", "ok"]), false));

        // A finished one, at once: one run.
        let (a, b, c) = tokio::join!(clicks(), clicks(), clicks());
        let queued = [&a, &b, &c].iter().filter(|answer| answer["queued"] == json!(["twice"])).count();
        assert_eq!(queued, 1, "{a} {b} {c}");
        calls.next().await.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert!(!calls.has_more());
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_handler_that_was_added_later_is_back_filled_by_replay_once() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let before = start(&database, "", vec![]).await;
        let delivery = deliver(&before, "evt_1", "in_1").await;
        before.shutdown().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("late").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        assert_eq!(unfinished(&pool).await, 0);
        let answer = replay(&gateway, &delivery, json!({"handlers": ["late"]})).await;
        assert_eq!((&answer["queued"], &answer["run"]), (&json!(["late"]), &Value::Null), "{answer}");
        let call = calls.next().await;
        assert_eq!((call.replay, call.attempt), (false, 1));
        call.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        let answer = replay(&gateway, &delivery, json!({})).await;
        assert_eq!(answer["queued"], json!([]), "{answer}");
        assert!(!calls.has_more());
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_replay_for_one_handler_leaves_the_others_waiting() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let named = |name: &str| puppet(on("stripe", &["*"]).name(name).order(order));
        let ((asked, mut asked_calls), (other, mut other_calls)) = (named("asked"), named("other"));
        let gateway = start(&database, "", vec![asked, other]).await;
        let delivery = deliver(&gateway, "evt_1", "in_1").await;
        for calls in [&mut asked_calls, &mut other_calls] {
            let later = HandlerError::because("later").retry_after(std::time::Duration::from_secs(600));
            calls.next().await.end(later);
        }
        let waiting = "select count(*) from hookgate.jobs where state = 'waiting'";
        eventually("both wait", 2, async || number(&pool, waiting).await).await;
        let answer = replay(&gateway, &delivery, json!({"handlers": ["asked"]})).await;
        assert_eq!(answer["hastened"], json!(["asked"]), "{answer}");
        asked_calls.next().await.succeed();
        eventually("the other waits", 1, async || unfinished(&pool).await).await;
        assert!(jobs(&pool).await[0].due_in > 500.0 && !other_calls.has_more());
        let_time_pass(&pool).await;
        other_calls.next().await.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_conflict_runs_when_an_operator_releases_it() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("all").order(Order::Lane));
    let gateway = start(&database, "", vec![handler]).await;
    deliver(&gateway, "evt_1", "in_1").await;
    calls.next().await.succeed();
    let other_body = Signed::stripe_event("evt_1", "a.b", "in_2").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!((other_body.status, other_body.outcome()), (202, "conflict"));
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    let answer = replay(&gateway, other_body.id(), json!({})).await;
    assert_eq!(answer["queued"], json!(["all"]), "{answer}");
    let call = calls.next().await;
    assert_eq!(call.object, "in_2");
    call.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    let answer = replay(&gateway, other_body.id(), json!({})).await;
    assert_eq!(answer["queued"], json!([]), "{answer}");
    gateway.shutdown().await;
}
