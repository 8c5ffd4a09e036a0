//! Promise 2: same source and same dedup key = one set of jobs, whatever the concurrency or the number of gateways.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use hookgate::on;
use tokio::task::JoinSet;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start, start_with};
use crate::support::postgres::database;
use crate::support::rows::{acts, count, recorded};
use crate::support::witness::witness;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_copies_at_once_through_two_gateways_are_one_set_of_jobs_and_one_run() {
    let database = database().await;
    let pool = database.pool().await;
    let (first, mut ran_here) = witness(on("github", &["*"]).name("build"));
    let (second, mut ran_there) = witness(on("github", &["*"]).name("build"));
    let gateways = [start(&database, "", vec![first]).await, start(&database, "", vec![second]).await];
    let sent = Signed::github("one-delivery", "push", r#"{"ref": "refs/heads/main"}"#);

    let answers = join_all((0..50).map(|n| sent.send(gateways[n % 2].ingest_addr().unwrap()))).await;

    let mut outcomes = BTreeMap::new();
    for answer in &answers {
        assert_eq!(answer.status, 202, "{}", answer.text);
        assert_eq!(answer.id(), answers[0].id(), "every copy is told of the one delivery");
        *outcomes.entry(answer.outcome().to_owned()).or_insert(0) += 1;
    }
    assert_eq!(outcomes, [("accepted".to_owned(), 1), ("duplicate".to_owned(), 49)].into());
    assert_eq!(acts(&pool).await, vec!["noted"; 49]);
    eventually("the job is done", (1, 1, 0), async || recorded(&pool).await).await;
    for gateway in gateways {
        gateway.shutdown().await;
    }
    // Both workers are gone: what did not run by now never will.
    let runs = std::iter::from_fn(|| ran_here.another().or_else(|| ran_there.another()));
    assert_eq!(runs.collect::<Vec<_>>(), [answers[0].id()]);
    assert_eq!(count(&pool, "attempts").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_whose_senders_gave_up_keep_no_later_one_waiting() {
    let database = database().await;
    let pool = database.pool().await;
    let mut config = config(&database, "");
    config.recorder.timeout = Duration::from_millis(300);
    let gateway = start_with(config, Vec::new()).await;
    let to = gateway.ingest_addr().unwrap();
    let event = Signed::stripe_event("evt_1", "a.b", "in_1");
    eventually("it is recorded", 202, async || event.send(to).await.status).await;
    // Whoever looks a copy up stands still here, two at a time; all others wait behind them.
    let before = count(&pool, "copies").await;
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("lock table hookgate.copies in share mode").execute(&mut *lock).await.unwrap();
    let mut sending = JoinSet::new();
    for _ in 0..40 {
        let event = event.clone();
        sending.spawn(async move { event.send(to).await.status });
    }
    assert!(sending.join_all().await.into_iter().all(|status| status == 503));
    lock.rollback().await.unwrap();
    eventually("a later copy is answered", 202, async || event.send(to).await.status).await;
    let noted = count(&pool, "copies").await - before;
    assert!(noted < 10, "{noted} copies were looked up, most of them for nobody");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_copy_of_finished_work_is_visible_and_does_not_run_again() {
    let database = database().await;
    let pool = database.pool().await;
    let (handler, mut ran) = witness(on("github", &["*"]).name("build"));
    let gateway = start(&database, "", vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let sent = Signed::github("again", "push", "{}");
    sent.send(to).await;
    ran.next().await;
    eventually("the job is done", (1, 1, 0), async || recorded(&pool).await).await;

    assert_eq!(sent.send(to).await.outcome(), "duplicate");

    assert_eq!(acts(&pool).await, ["noted"]);
    assert_eq!(recorded(&pool).await, (1, 1, 0));
    gateway.shutdown().await;
    assert_eq!(ran.another(), None, "ran again");
}

/// The same id at another source, and the same trace at another delivery, are nobody's duplicates.
#[tokio::test]
async fn only_source_and_delivery_id_make_a_duplicate() {
    let database = database().await;
    let pool = database.pool().await;
    let more = "[source.github-two]\nprovider = \"github\"\nsecrets = [{ literal = \"It's a Secret to Everybody\" }]\n";
    let gateway = start(&database, more, vec![witness(on("*", &["*"]).name("all")).0]).await;
    let to = gateway.ingest_addr().unwrap();
    let traced = |id| {
        Signed::github(id, "push", "{}")
            .with("x-request-id", "req-1")
            .with("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    };
    for sent in [traced("a"), traced("b"), traced("a").to("github-two")] {
        assert_eq!(sent.send(to).await.outcome(), "accepted");
    }
    assert_eq!(traced("a").with("x-request-id", "req-2").send(to).await.outcome(), "duplicate");
    assert_eq!(count(&pool, "deliveries").await, 3);
    gateway.shutdown().await;
}

/// Without an id nothing can be recognised: two equal requests are two events, marked so.
#[tokio::test]
async fn requests_without_an_id_are_events_of_their_own() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, "", vec![witness(on("stripe", &["*"]).name("all")).0]).await;
    for _ in 0..2 {
        let answer = Signed::stripe(r#"{"type": "invoice.paid"}"#).send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"));
    }
    assert_eq!(count(&pool, "deliveries where no_dedup").await, 2);
    gateway.shutdown().await;
}
