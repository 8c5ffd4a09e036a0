//! A pause keeps handlers from starting, everywhere and until it is resumed; receiving goes on.

use std::time::Duration;

use hookgate::config::ProcessRole;
use hookgate::{HandlerError, Order, Running, on};
use serde_json::{Value, json};

use super::{ask, audited, deliver, get, handler, post};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, config, start, start_with};
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{attempts, database_with_effects, jobs, lanes, let_time_pass, number, unfinished};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];

/// Waits until a handler that is not paused has run on a new event: the worker has looked since.
async fn looked(gateway: &Running, calls: &mut Calls, n: u32) {
    Signed::standard(&format!("msg_{n}"), r#"{"type": "look"}"#).send(gateway.ingest_addr().unwrap()).await;
    calls.next().await.succeed();
}

#[tokio::test]
async fn each_scope_of_a_pause_stops_what_it_names_and_nothing_else() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let named = |name: &str, from: &str| puppet(on(from, &["*"]).name(name).order(order));
        let ((mail, mut mail_calls), (look, mut look_calls)) = (named("mail", "stripe"), named("look", "standard"));
        let gateway = start(&database, "", vec![mail, look]).await;
        let scopes =
            [json!({"source": "stripe"}), json!({"handler": "mail"}), json!({"source": "stripe", "handler": "mail"})];
        for (n, scope) in (1..).zip(&scopes) {
            let done = post(&gateway, "pause", scope.clone()).await;
            assert_eq!((&done["changed"], done["pauses"].as_array().unwrap().len()), (&json!(true), 1), "{done}");
            deliver(&gateway, n, "in_1").await;
            looked(&gateway, &mut look_calls, n).await;
            assert!(!mail_calls.has_more(), "{scope}");
            assert_eq!(handler(&gateway, "mail").await["paused"], json!(["stripe"]));
            let done = post(&gateway, "resume", scope.clone()).await;
            assert_eq!((&done["changed"], &done["pauses"]), (&json!(true), &json!([])), "{done}");
            mail_calls.next().await.succeed();
            eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        }
        // All is all.
        post(&gateway, "pause", json!({"all": true, "reason": "a migration"})).await;
        deliver(&gateway, 9, "in_1").await;
        Signed::standard("msg_9", "{}").send(gateway.ingest_addr().unwrap()).await;
        assert_eq!(unfinished(&pool).await, 2);
        post(&gateway, "resume", json!({"all": true})).await;
        mail_calls.next().await.succeed();
        look_calls.next().await.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!(attempts(&pool).await.iter().filter(|(attempt, _)| *attempt != 1).count(), 0);
        for (action, object) in [("pause", "all"), ("resume", "all"), ("pause", "handler mail on source stripe")] {
            assert_eq!(audited(&pool, action, object).await, 1, "{action} {object}");
        }
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_pause_holds_on_every_gateway_and_what_a_lane_claim_has_not_started_goes_back() {
    let (database, pool) = database_with_effects().await;
    let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail").order(Order::Lane));
    let (look, mut look_calls) = puppet(on("standard", &["*"]).name("look"));
    // The worker hears of nothing: it has its poll alone.
    let mut config_of_worker = config(&database, "");
    config_of_worker.server.roles = [ProcessRole::Worker].into();
    config_of_worker.database.listen = false;
    let worker = start_with(config_of_worker, vec![mail, look]).await;
    let mut config = config(&database, "");
    config.server.roles = [ProcessRole::Ingest, ProcessRole::Operator].into();
    let gateway = start_with(config, vec![]).await;
    post(&gateway, "pause", json!({"handler": "mail"})).await;
    for n in 1..=4 {
        deliver(&gateway, n, "in_1").await;
    }
    // All four are one claim of the lane.
    post(&gateway, "resume", json!({"handler": "mail"})).await;
    let running = calls.next().await;
    post(&gateway, "pause", json!({"handler": "mail"})).await;
    // A look that began before the pause ends with the first of these at the latest; the second's began after it.
    looked(&gateway, &mut look_calls, 1).await;
    looked(&gateway, &mut look_calls, 2).await;
    running.succeed();
    eventually("the lane goes back", vec![("in_1".to_owned(), "ready".to_owned(), 3)], async || lanes(&pool).await)
        .await;
    looked(&gateway, &mut look_calls, 3).await;
    assert!(!calls.has_more());
    let queued: Vec<_> = jobs(&pool).await.into_iter().filter(|job| job.in_lane).collect();
    assert!(queued.iter().all(|job| (job.state.as_str(), job.attempt) == ("ready", 0)), "{queued:?}");
    post(&gateway, "resume", json!({"handler": "mail"})).await;
    for _ in 0..3 {
        calls.next().await.succeed();
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
    worker.shutdown().await;
}

#[tokio::test]
async fn retries_and_replays_wait_for_the_end_of_a_pause_and_readiness_does_not() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail").order(order));
        let (look, mut look_calls) = puppet(on("standard", &["*"]).name("look"));
        let gateway = start(&database, "", vec![mail, look]).await;
        let done = deliver(&gateway, 1, "in_1").await;
        calls.next().await.succeed();
        deliver(&gateway, 2, "in_2").await;
        let later = HandlerError::because("later").retry_after(Duration::from_secs(600));
        calls.next().await.end(later);
        eventually("it waits", true, async || jobs(&pool).await.iter().all(|job| job.state == "waiting")).await;
        post(&gateway, "pause", json!({"source": "stripe"})).await;
        let_time_pass(&pool).await;
        post(&gateway, &format!("deliveries/{done}/replay"), json!({"force": true})).await;
        looked(&gateway, &mut look_calls, 1).await;
        assert!(!calls.has_more());
        let ready = client().get(format!("http://{}/readyz", gateway.operator_addr().unwrap())).send().await.unwrap();
        assert_eq!(ready.status().as_u16(), 200);
        post(&gateway, "resume", json!({"source": "stripe"})).await;
        calls.next().await.succeed();
        calls.next().await.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_pause_survives_restarts_and_covers_what_is_declared_after_it() {
    let (database, pool) = database_with_effects().await;
    let scene = || puppet(on("*", &["*"]).name("mail"));
    let (mail, _) = scene();
    let first = start(&database, "", vec![mail]).await;
    post(&first, "pause", json!({"handler": "mail", "reason": "the ledger moves"})).await;
    first.shutdown().await;
    // A new release, and a source that was not there when it was paused.
    let late = "registry.release = 2\n[source.late]\nprovider = 'stripe'\nsecrets = [{ literal = 'whsec_test_secret_of_stripe' }]\n";
    let (mail, mut calls) = scene();
    let gateway = start(&database, late, vec![mail]).await;
    deliver(&gateway, 1, "in_1").await;
    let event = Signed::stripe_event("evt_2", "a.b", "in_2").to("late");
    assert_eq!(event.send(gateway.ingest_addr().unwrap()).await.status, 202);
    let row = handler(&gateway, "mail").await;
    assert_eq!(row["paused"], json!(["github", "late", "standard", "stripe"]));
    assert_eq!((&row["paused_by"], &row["paused_reason"]), (&json!("local"), &json!("the ledger moves")));
    assert_eq!((unfinished(&pool).await, calls.has_more()), (2, false));
    let sources = get(&gateway, "sources").await;
    assert!(sources["items"].as_array().unwrap().iter().all(|source| source["paused"] == json!(["mail"])), "{sources}");
    // One of them goes on only when all that covers it is resumed.
    post(&gateway, "pause", json!({"source": "late"})).await;
    let left = post(&gateway, "resume", json!({"handler": "mail"})).await;
    assert_eq!(left["pauses"][0]["source"], "late", "{left}");
    let call = calls.next().await;
    assert_eq!(call.object, "in_1");
    call.succeed();
    eventually("one is done", 1, async || unfinished(&pool).await).await;
    post(&gateway, "resume", json!({"source": "late"})).await;
    calls.next().await.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_pause_makes_no_recorder_plan_again_and_waits_for_none() {
    let (database, pool) = database_with_effects().await;
    let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail"));
    let gateway = start(&database, "", vec![mail]).await;
    let generation = "select generation from hookgate.registry";
    let before = number(&pool, generation).await;
    // As T1 holds it.
    let mut recorder = pool.begin().await.unwrap();
    sqlx::query("select from hookgate.registry for key share").execute(&mut *recorder).await.unwrap();
    post(&gateway, "pause", json!({"all": true})).await;
    recorder.rollback().await.unwrap();
    assert_eq!(number(&pool, generation).await, before);
    deliver(&gateway, 1, "in_1").await;
    post(&gateway, "resume", json!({"all": true})).await;
    calls.next().await.succeed();
    gateway.shutdown().await;
}

#[tokio::test]
async fn what_can_not_be_paused_is_refused_with_what_to_do() {
    let (database, _pool) = database_with_effects().await;
    let (mail, _calls) = puppet(on("stripe", &["*"]).name("mail"));
    let gateway = start(&database, "", vec![mail]).await;
    let table = [
        (json!({"handler": "male"}), 404, "handler"),
        (json!({"source": "strip"}), 404, "source"),
        (json!({"source": "github", "handler": "mail"}), 404, "nothing to do with"),
        (json!({}), 400, "say what"),
        (json!({"all": true, "source": "stripe"}), 400, "without"),
    ];
    for (body, status, said) in table {
        for path in ["pause", "resume"] {
            let (code, answer) = ask(&gateway, "POST", path, body.clone()).await;
            let detail = answer["detail"].as_str().unwrap().to_lowercase();
            assert_eq!(code, status, "{body} {answer}");
            assert!(detail.contains(said), "{body}: {detail}");
        }
    }
    let again = post(&gateway, "resume", json!({"handler": "mail"})).await;
    assert_eq!(again, json!({"changed": false, "pauses": []}));
    let (code, _) = ask(&gateway, "GET", "pauses", Value::Null).await;
    assert_eq!(code, 200);
    gateway.shutdown().await;
}
