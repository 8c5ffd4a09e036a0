//! A forward gets a batch whole and once, with the places of the events that are new to it.

use hookgate::Running;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::batch::Batching;
use crate::support::destination::{Arrived, Destination};
use crate::support::eventually::eventually;
use crate::support::gateway::{client, start};
use crate::support::postgres::{TestDatabase, database};
use crate::support::rows::{acts, count};
use crate::support::work::{deaths, lanes, number, unfinished};

const GOCARDLESS: Batching =
    Batching { provider: "gocardless", secret: "endpoint-secret", around: (r#"{"events":["#, "]}"), query: "" };

fn event(id: &str, kind: &str, payment: &str) -> String {
    format!(r#"{{"id":"{id}","resource_type":"{kind}","action":"confirmed","links":{{"payment":"{payment}"}}}}"#)
}

fn payment(n: u32) -> String {
    event(&format!("EV{n}"), "payments", &format!("PM{n}"))
}

async fn forwarding(database: &TestDatabase, to: &Destination, more: &str) -> Running {
    let forward = format!(
        "[[forward]]\nname = 'app'\nfrom = 'batch'\nevents = ['payments.*']\nto = {:?}\nsign = 'none'\nbackoff_base = '50ms'\n{more}\n",
        to.url()
    );
    start(database, &GOCARDLESS.source(&forward), vec![]).await
}

fn indexes(arrived: &Arrived) -> Option<String> {
    arrived.header("hookgate-event-indexes")
}

async fn all_done(pool: &PgPool) {
    eventually("all is done", 0, async || unfinished(pool).await).await;
}

async fn replay(gateway: &Running, delivery: &str, force: bool) -> Value {
    let url = format!("http://{}/api/v1/deliveries/{delivery}/replay", gateway.operator_addr().unwrap());
    let answer = client().post(url).json(&json!({ "force": force })).send().await.expect("an answer");
    answer.json().await.expect("JSON")
}

#[tokio::test]
async fn a_batch_is_sent_once_as_received_with_the_events_it_is_about() {
    let database = database().await;
    let pool = database.pool().await;
    let mut to = Destination::answering(&[]).await;
    let gateway = forwarding(&database, &to, "").await;
    let elements = [payment(0), payment(1), event("EV2", "mandates", "x"), payment(3)];
    assert_eq!(GOCARDLESS.send(&gateway, &elements).await.outcome(), "accepted");
    let first = to.next().await;
    assert_eq!(first.body, GOCARDLESS.body(&elements).as_bytes());
    assert_eq!(indexes(&first).as_deref(), Some("0-1,3"));
    assert_eq!(first.header("hookgate-event").as_deref(), Some("payments.confirmed"));

    let overlapping = [payment(3), event("EV9", "mandates", "x"), payment(4)];
    assert_eq!(GOCARDLESS.send(&gateway, &overlapping).await.status, 202);
    let second = to.next().await;
    assert_eq!((indexes(&second).as_deref(), &second.body[..]), (Some("2"), GOCARDLESS.body(&overlapping).as_bytes()));
    assert_ne!(first.header("webhook-id"), second.header("webhook-id"));

    assert_eq!(GOCARDLESS.send(&gateway, &[payment(0), payment(4)]).await.outcome(), "duplicate");
    assert_eq!(GOCARDLESS.send(&gateway, &[event("EV5", "mandates", "x")]).await.outcome(), "unhandled");
    all_done(&pool).await;
    assert!(!to.has_more());
    assert_eq!(count(&pool, "attempts").await, 2);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_request_that_is_no_batch_has_no_indexes_and_a_batch_of_one_has() {
    let database = database().await;
    let mut to = Destination::answering(&[]).await;
    let gateway = forwarding(
        &database,
        &to,
        "[[forward]]\nname = 'all'\nfrom = 'github'\nevents = ['*']\nto = 'http://127.0.0.1:9/'\nsign = 'none'",
    )
    .await;
    GOCARDLESS.send(&gateway, &[payment(0)]).await;
    assert_eq!(indexes(&to.next().await).as_deref(), Some("0"));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_retry_and_a_forced_replay_are_about_the_same_events_under_the_same_id() {
    for order in ["none", "lane"] {
        let database = database().await;
        let pool = database.pool().await;
        let mut to = Destination::answering(&[500, 204]).await;
        let gateway = forwarding(&database, &to, &format!("order = '{order}'")).await;
        GOCARDLESS.send(&gateway, &[payment(1)]).await;
        to.next().await;
        to.next().await;
        let answer = GOCARDLESS.send(&gateway, &[payment(1), payment(2), payment(3)]).await;
        let live = to.next().await;
        assert_eq!(indexes(&live).as_deref(), Some("1-2"));
        all_done(&pool).await;

        let left = replay(&gateway, answer.id(), false).await;
        assert_eq!((&left["queued"], &left["redriven"]), (&json!([]), &json!([])), "{order}: {left}");
        let again = replay(&gateway, answer.id(), true).await;
        assert_eq!(again["queued"], json!(["app"]), "{order}: {again}");
        let replayed = to.next().await;
        assert_eq!(indexes(&replayed), indexes(&live), "{order}");
        assert_eq!(replayed.header("webhook-id"), live.header("webhook-id"), "{order}");
        assert_eq!(replayed.header("hookgate-replay").as_deref(), Some("true"));
        all_done(&pool).await;
        assert!(!to.has_more(), "{order}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_redelivery_of_any_of_its_events_revives_a_dead_one_once() {
    for order in ["none", "lane"] {
        let database = database().await;
        let pool = database.pool().await;
        let mut to = Destination::answering(&[500, 204]).await;
        let gateway = forwarding(&database, &to, &format!("attempts = 1\norder = '{order}'")).await;
        let answer = GOCARDLESS.send(&gateway, &[payment(1), payment(2), payment(3)]).await;
        let live = to.next().await;
        eventually("it is dead", true, async || deaths(&pool).await == ["exhausted"]).await;

        let again = GOCARDLESS.send(&gateway, &[payment(3), payment(2)]).await;
        assert_eq!((again.outcome(), again.id()), ("requeued", answer.id()), "{order}");
        let revived = to.next().await;
        assert_eq!((indexes(&revived).as_deref(), revived.body == live.body), (Some("0-2"), true), "{order}");
        assert_eq!(revived.header("webhook-id"), live.header("webhook-id"));
        all_done(&pool).await;
        assert!(!to.has_more(), "{order}");
        assert_eq!(acts(&pool).await.iter().filter(|act| *act == "requeued").count(), 1, "{order}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn it_stands_in_the_lane_of_the_first_event_that_is_new_to_it() {
    let database = database().await;
    let pool = database.pool().await;
    let mut to = Destination::answering(&[]).await;
    let gateway = forwarding(&database, &to, "order = 'lane'").await;
    GOCARDLESS.send(&gateway, &[payment(7)]).await;
    to.next().await;
    let elements = [payment(7), event("EV8", "mandates", "PM8"), payment(9), payment(10)];
    GOCARDLESS.send(&gateway, &elements).await;
    let arrived = to.next().await;
    assert_eq!((indexes(&arrived).as_deref(), arrived.header("hookgate-lane").as_deref()), (Some("2-3"), Some("PM9")));
    all_done(&pool).await;
    let labels: Vec<String> = lanes(&pool).await.into_iter().map(|(label, ..)| label).collect();
    assert_eq!(labels, ["PM7", "PM9"]);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_replay_runs_no_event_that_came_first_in_another_delivery() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, &GOCARDLESS.source(""), vec![]).await;
    GOCARDLESS.send(&gateway, &[payment(1)]).await;
    let second = GOCARDLESS.send(&gateway, &[payment(1), payment(2)]).await;
    assert_eq!(second.status, 202);
    let second: String =
        sqlx::query_scalar("select max(id::text) from hookgate.deliveries").fetch_one(&pool).await.unwrap();
    gateway.shutdown().await;

    let mut to = Destination::answering(&[]).await;
    let gateway = forwarding(&database, &to, "").await;
    let done = replay(&gateway, &second, true).await;
    assert_eq!(done["queued"], json!(["app"]), "{done}");
    assert_eq!(indexes(&to.next().await).as_deref(), Some("1"));
    all_done(&pool).await;
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts").await, 1);
    assert!(!to.has_more());
    gateway.shutdown().await;
}
