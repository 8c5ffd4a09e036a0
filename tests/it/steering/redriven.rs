//! The jobs of a handler that was renamed or removed go on as another handler's: each once, in order, and only where it can
//! take them.

use hookgate::{HandlerError, Order, on};
use serde_json::json;

use super::{ask, audited, deliver, get, handler, miscounted, post};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::puppet;
use crate::support::work::{database_with_effects, deaths, number, unfinished};

#[tokio::test]
async fn queued_and_dead_jobs_become_one_job_each_of_the_new_name_in_received_order() {
    for order in [Order::None, Order::Lane] {
        for new_order in [Order::None, Order::Lane] {
            let (database, pool) = database_with_effects().await;
            let (old, mut calls) = puppet(on("stripe", &["*"]).name("old").order(order));
            let before = start(&database, "", vec![old]).await;
            let mut ids = vec![deliver(&before, 1, "in_1").await];
            calls.next().await.end(HandlerError::because("hopeless").permanent());
            eventually("a dead job", 1, async || deaths(&pool).await.len()).await;
            post(&before, "pause", json!({"all": true})).await;
            for n in 2..=5 {
                ids.push(deliver(&before, n, "in_1").await);
            }
            post(&before, "jobs/cancel", json!({"delivery": ids[4]})).await;
            before.shutdown().await;

            let (new, mut calls) = puppet(on("stripe", &["*"]).name("new").order(new_order).concurrency(1));
            let gateway = start(&database, "", vec![new]).await;
            let dry = post(&gateway, "handlers/old/redrive", json!({"to": "new", "dry_run": true})).await;
            assert_eq!((&dry["moved"], &dry["made"]), (&json!(5), &json!(0)), "{dry}");
            // Clicked thrice at once.
            let click = || post(&gateway, "handlers/old/redrive", json!({"to": "new"}));
            let (a, b, c) = tokio::join!(click(), click(), click());
            let sum = |key: &str| [&a, &b, &c].iter().map(|answer| answer[key].as_i64().unwrap()).sum::<i64>();
            assert_eq!((sum("moved"), sum("made")), (5, 5), "{a} {b} {c}");
            assert_eq!((unfinished(&pool).await, miscounted(&pool).await), (5, 0));
            let told = "select count(*) from hookgate.dead where reason = 'cancelled' and redriven_to = 'new'";
            assert_eq!((deaths(&pool).await.len(), number(&pool, told).await), (5, 5));
            let shown = get(&gateway, "dead?handler=old").await;
            assert_eq!(shown["items"][0]["redriven_to"], "new", "{shown}");
            assert!(audited(&pool, "handler.redrive", "old").await >= 1);
            // Neither the sender nor a replay brings the old ones back.
            let again = Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
            assert_eq!(again.outcome(), "duplicate");
            let replay = post(&gateway, &format!("deliveries/{}/replay", ids[0]), json!({})).await;
            assert_eq!(replay["redriven"], json!([]), "{replay}");
            assert_eq!(unfinished(&pool).await, 5);

            post(&gateway, "resume", json!({"all": true})).await;
            for id in &ids {
                let call = calls.next().await;
                assert_eq!(&call.delivery.to_string(), id);
                assert_eq!((call.attempt, call.replay), (1, false));
                call.succeed();
            }
            eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
            // And once more when they are done.
            let late = post(&gateway, "handlers/old/redrive", json!({"to": "new"})).await;
            assert_eq!((&late["moved"], &late["made"]), (&json!(0), &json!(0)), "{late}");
            assert!(!calls.has_more());
            let states = get(&gateway, "deliveries?state=done").await;
            assert_eq!(states["items"].as_array().unwrap().len(), 5, "what was handed over is not dead: {states}");
            gateway.shutdown().await;
        }
    }
}

#[tokio::test]
async fn what_the_new_handler_has_had_itself_is_not_made_twice_and_a_wrong_move_can_be_undone() {
    let (database, pool) = database_with_effects().await;
    let (old, _old_calls) = puppet(on("stripe", &["*"]).name("old"));
    let (new, mut calls) = puppet(on("stripe", &["*"]).name("new"));
    let (third, _third_calls) = puppet(on("stripe", &["a.*"]).name("third").order(Order::Lane));
    let gateway = start(&database, "", vec![old, new, third]).await;
    for name in ["old", "third"] {
        post(&gateway, "pause", json!({"handler": name})).await;
    }
    deliver(&gateway, 1, "in_1").await;
    calls.next().await.succeed();
    eventually("the new one is done", 2, async || unfinished(&pool).await).await;
    // The new one had the event: the old job ends, and nothing is made of it.
    let done = post(&gateway, "handlers/old/redrive", json!({"to": "new"})).await;
    assert_eq!((&done["moved"], &done["made"]), (&json!(1), &json!(0)), "{done}");
    // There and back again.
    let (status, answer) = ask(&gateway, "POST", "handlers/third/redrive", json!({"to": "third"})).await;
    assert_eq!(status, 400, "{answer}");
    post(&gateway, "jobs/cancel", json!({"handler": "third"})).await;
    let other = Signed::stripe_event("evt_2", "x.y", "in_2").send(gateway.ingest_addr().unwrap()).await;
    calls.next().await.succeed();
    assert_eq!(other.status, 202);
    eventually("the old one's", 1, async || unfinished(&pool).await).await;
    // An event type that it does not take stays.
    let left = post(&gateway, "handlers/old/redrive", json!({"to": "third"})).await;
    assert_eq!((&left["moved"], &left["left"]), (&json!(0), &json!(1)), "{left}");
    let there = post(&gateway, "handlers/third/redrive", json!({"to": "old"})).await;
    assert_eq!((&there["moved"], &there["made"]), (&json!(1), &json!(1)), "its own was handed over: {there}");
    let back = post(&gateway, "handlers/old/redrive", json!({"to": "third"})).await;
    assert_eq!((&back["moved"], &back["made"]), (&json!(1), &json!(1)), "{back}");
    let numbered = "select count(*) from hookgate.jobs j where attempt = 1 and lane is not null
                      and not exists (select from hookgate.dead d
                                       where (d.delivery, d.subscription) = (j.delivery, j.subscription))";
    assert_eq!((number(&pool, numbered).await, miscounted(&pool).await), (1, 0));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_handler_that_is_not_subscribed_where_the_jobs_are_is_refused_by_source() {
    let (database, pool) = database_with_effects().await;
    let (old, _calls) = puppet(on("*", &["*"]).name("old"));
    let (new, _new_calls) = puppet(on("standard", &["*"]).name("new"));
    let gateway = start(&database, "", vec![old, new]).await;
    post(&gateway, "pause", json!({"all": true})).await;
    deliver(&gateway, 1, "in_1").await;
    let (status, answer) = ask(&gateway, "POST", "handlers/old/redrive", json!({"to": "new"})).await;
    let detail = answer["detail"].as_str().unwrap();
    assert!(status == 400 && detail.contains("stripe") && !detail.contains("github"), "{answer}");
    assert_eq!((unfinished(&pool).await, deaths(&pool).await.len()), (1, 0));
    for (path, body) in
        [("handlers/nobody/redrive", json!({"to": "new"})), ("handlers/old/redrive", json!({"to": "x"}))]
    {
        assert_eq!(ask(&gateway, "POST", path, body).await.0, 404);
    }
    assert!(handler(&gateway, "old").await["retired_at"].is_null());
    gateway.shutdown().await;
}
