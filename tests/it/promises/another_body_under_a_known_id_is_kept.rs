//! Promise 3: the same id with a different body is kept, flagged as a conflict, and never silently dropped.

use hookgate::on;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::metric;
use crate::support::postgres::database;
use crate::support::rows::{count, deliveries, recorded};
use crate::support::witness::witness;

fn source(name: &str, more: &str) -> String {
    format!(
        "[source.{name}]\nprovider = \"github\"\nsecrets = [{{ literal = \"It's a Secret to Everybody\" }}]\n{more}\n"
    )
}

#[tokio::test]
async fn it_is_parked_as_a_delivery_of_its_own_with_an_alert() {
    metric::counting();
    let database = database().await;
    let pool = database.pool().await;
    let (handler, mut ran) = witness(on("parked", &["*"]).name("build"));
    let gateway = start(&database, &source("parked", ""), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let send = async |body: &'static str| Signed::github("same-id", "push", body).to("parked").send(to).await;

    let original = send(r#"{"n": 1}"#).await;
    let conflict = send(r#"{"n": 2}"#).await;
    assert_eq!((conflict.status, conflict.outcome()), (202, "conflict"));
    assert_ne!(conflict.id(), original.id());
    assert_eq!(conflict.headers["hookgate-delivery-id"], conflict.id());
    let again = send(r#"{"n": 2}"#).await;
    assert_eq!((again.status, again.outcome(), again.id()), (202, "conflict", conflict.id()));
    let copy = send(r#"{"n": 1}"#).await;
    assert_eq!((copy.outcome(), copy.id()), ("duplicate", original.id()), "the original still stands for the id");

    eventually("the original is done", (1, 2, 0), async || recorded(&pool).await).await;
    gateway.shutdown().await;
    assert_eq!(ran.another().as_deref(), Some(original.id()));
    assert_eq!(ran.another(), None, "the conflict ran");
    let [kept, parked] = &deliveries(&pool).await[..] else { panic!("two deliveries") };
    assert_eq!((kept.id.to_string().as_str(), kept.conflict_with), (original.id(), None));
    assert_eq!((parked.id.to_string().as_str(), parked.conflict_with), (conflict.id(), Some(kept.id)));
    assert_eq!(kept.sha256, Signed::github("", "push", r#"{"n": 1}"#).sha256());
    assert_eq!(parked.sha256, Signed::github("", "push", r#"{"n": 2}"#).sha256());
    assert_eq!(metric::counter(r#"hookgate_conflicts_total{source="parked"}"#), 1, "once, however often it came");
}

#[tokio::test]
async fn an_answer_names_a_stored_delivery_however_many_bodies_come() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, "", vec![]).await;
    let to = gateway.ingest_addr().unwrap();
    for round in 0..2 {
        for n in 0..25 {
            let answer = Signed::github("same-id", "push", format!("{{\"n\": {n}}}")).send(to).await;
            assert_eq!(answer.status, 202, "body {n}: {}", answer.text);
            let expected = match (n, round) {
                (0, 0) => "unhandled",
                (0, _) => "duplicate",
                _ => "conflict",
            };
            assert_eq!(answer.outcome(), expected, "body {n}");
            let stored = count(&pool, &format!("deliveries where id = '{}'", answer.id())).await;
            assert_eq!(stored, 1, "body {n}, round {round}: the answer names no stored delivery");
        }
    }
    assert_eq!(count(&pool, "deliveries").await, 1 + 20, "the original and the most bodies a key keeps");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_source_may_have_conflicts_processed_as_deliveries_of_their_own() {
    let database = database().await;
    let (handler, mut ran) = witness(on("eager", &["*"]).name("build"));
    let gateway = start(&database, &source("eager", "on_conflict = \"process\""), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    for body in ["{}", r#"{"other": true}"#] {
        let answer = Signed::github("same-id", "push", body).to("eager").send(to).await;
        assert_eq!(ran.next().await, answer.id(), "{}", answer.text);
    }
    gateway.shutdown().await;
}

#[tokio::test]
async fn it_never_revives_the_dead() {
    let database = database().await;
    let pool = database.pool().await;
    let (handler, _ran) = crate::support::witness::failing_first(on("github", &["*"]).name("build"), 1, || {
        hookgate::HandlerError::because("broken for good").permanent()
    });
    let gateway = start(&database, "", vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    Signed::github("dead", "push", "{}").send(to).await;
    eventually("it is dead", 1, async || count(&pool, "dead").await).await;
    let answer = Signed::github("dead", "push", r#"{"other": true}"#).send(to).await;
    assert_eq!(answer.outcome(), "conflict");
    assert_eq!((count(&pool, "dead").await, count(&pool, "jobs").await), (1, 0));
    gateway.shutdown().await;
}
