//! Many events in one request: each has a receipt and jobs of its own.

use hookgate::on;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start, start_receiving};
use crate::support::postgres::database;
use crate::support::rows::{count, recorded};
use crate::support::witness::witness;
use crate::support::work::{execute, unfinished};

fn source(more: &str) -> String {
    format!(
        "[source.payments]\nprovider = \"gocardless\"\nsecrets = [{{ literal = \"It's a Secret to Everybody\" }}]\n{more}"
    )
}

fn event(id: &str, payment: &str) -> Value {
    json!({"id": id, "resource_type": "payments", "action": "confirmed", "links": {"payment": payment}})
}

fn batch(events: &[Value]) -> Signed {
    Signed::gocardless(json!({ "events": events }).to_string()).to("payments")
}

/// The unfinished jobs' events, in order.
async fn queued(pool: &PgPool, delivery: &str) -> Vec<i32> {
    sqlx::query_scalar("select event from hookgate.jobs where delivery::text = $1 order by event")
        .bind(delivery)
        .fetch_all(pool)
        .await
        .expect("read jobs")
}

#[tokio::test]
async fn an_empty_one_is_acknowledged_and_stored() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start_receiving(&database, &source("")).await;
    let answer = batch(&[]).send(gateway.ingest_addr().unwrap()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "unhandled"));
    assert_eq!(recorded(&pool).await, (0, 1, 0));
    assert_eq!(count(&pool, &format!("deliveries where id = '{}'", answer.id())).await, 1);
    gateway.shutdown().await;
}

#[tokio::test]
async fn two_elements_with_one_id_and_different_bodies_are_a_conflict_and_not_lost() {
    for (policy, jobs) in [("park", vec![0]), ("process", vec![0, 1])] {
        let database = database().await;
        let pool = database.pool().await;
        let (handler, _runs) = witness(on("payments", &["*"]).name("book"));
        let gateway = start(&database, &source(&format!("on_conflict = {policy:?}")), vec![handler]).await;
        execute(&pool, "update hookgate.subscriptions set paused = true").await;
        let answer = batch(&[event("EV1", "PM1"), event("EV1", "PM2")]).send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"));
        assert_eq!(queued(&pool, answer.id()).await, jobs, "{policy}");
        assert_eq!(count(&pool, "conflicts where event = 1").await, 1);
        assert_eq!(count(&pool, "deliveries").await, 1);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn of_a_conflict_that_is_processed_only_the_conflicting_element_runs() {
    let database = database().await;
    let pool = database.pool().await;
    let (handler, _runs) = witness(on("payments", &["*"]).name("book"));
    let gateway = start(&database, &source("on_conflict = \"process\""), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    assert_eq!(batch(&[event("EV1", "PM1"), event("EV2", "PM2")]).send(to).await.status, 202);
    eventually("both are done", 0, async || unfinished(&pool).await).await;
    execute(&pool, "update hookgate.subscriptions set paused = true").await;
    let again = batch(&[event("EV1", "PM1"), event("EV2", "another")]).send(to).await;
    assert_eq!((again.status, again.outcome()), (202, "conflict"));
    assert_eq!(queued(&pool, again.id()).await, [1]);
    assert_eq!(unfinished(&pool).await, 1);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_body_of_a_key_whose_receipt_expired_is_kept_again() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start_receiving(&database, "").await;
    let to = gateway.ingest_addr().unwrap();
    let send = async |body: &'static str| Signed::github("same-id", "push", body).send(to).await;
    let original = send(r#"{"n": 1}"#).await;
    let conflict = send(r#"{"n": 2}"#).await;
    assert_eq!(conflict.outcome(), "conflict");
    // An id of the year 2004.
    execute(&pool, "update hookgate.receipts set delivery = '01000000-0000-7000-8000-000000000000'").await;

    let renewed = send(r#"{"n": 1}"#).await;
    assert_eq!((renewed.outcome(), renewed.id() == original.id()), ("unhandled", false));
    let again = send(r#"{"n": 2}"#).await;
    assert_eq!((again.outcome(), again.id() == conflict.id()), ("conflict", false));
    assert_eq!(count(&pool, &format!("deliveries where id = '{}'", again.id())).await, 1);
    gateway.shutdown().await;
}
