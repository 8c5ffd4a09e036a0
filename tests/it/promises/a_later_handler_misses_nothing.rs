//! Promise 1, seen from a handler: T1 fans out from the registry's rows, whatever the gateway that receives contains.

use hookgate::on;

use crate::support::gateway::{Signed, start, start_receiving};
use crate::support::postgres::database;
use crate::support::rows::{count, deliveries};
use crate::support::witness::witness;

#[tokio::test]
async fn an_older_gateway_that_only_receives_makes_jobs_for_a_handler_declared_after_it_started() {
    let database = database().await;
    let pool = database.pool().await;
    let receiving = start_receiving(&database, "").await;
    let to = receiving.ingest_addr().unwrap();
    let early = Signed::github("early", "push", "{}").send(to).await;
    assert_eq!((early.status, early.outcome()), (202, "unhandled"));

    let (handler, mut ran) = witness(on("github", &["push"]).name("build"));
    let newer = start(&database, "[registry]\nrelease = 7\n", vec![handler]).await;
    for n in 0..20 {
        let answer = Signed::github(&format!("later-{n}"), "push", "{}").send(to).await;
        assert_eq!(answer.outcome(), "accepted", "event {n}");
        assert_eq!(ran.next().await, answer.id());
    }
    // What came before the handler is for a replay, not for it.
    assert_eq!(count(&pool, &format!("jobs where delivery = '{}'", early.id())).await, 0);
    newer.shutdown().await;
    receiving.shutdown().await;
    assert_eq!(ran.another(), None);
}

#[tokio::test]
async fn what_nobody_handles_is_stored_and_acknowledged() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, "", vec![witness(on("github", &["push"]).name("build")).0]).await;
    let to = gateway.ingest_addr().unwrap();
    for (id, event) in [("a", "a_type_never_seen"), ("b", "star.created"), ("c", "Push")] {
        let answer = Signed::github(id, event, "{}").send(to).await;
        assert_eq!((answer.status, answer.outcome()), (202, "unhandled"), "{event}");
    }
    assert_eq!(Signed::stripe("{}").send(to).await.outcome(), "unhandled", "a source without any handler");
    let types: Vec<_> = deliveries(&pool).await.into_iter().map(|d| d.event_type).collect();
    assert_eq!(types, [Some("a_type_never_seen".into()), Some("star.created".into()), Some("Push".into()), None]);
    assert_eq!(count(&pool, "jobs").await, 0);
    gateway.shutdown().await;
}
