//! Promise 4: a redelivery of dead work re-queues it, once; of waiting work makes it due now and adds nothing.

use std::time::Duration;

use futures_util::future::join_all;
use hookgate::{HandlerError, Named, Order, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start, start_receiving, start_with};
use crate::support::postgres::database;
use crate::support::rows::{acts, count};
use crate::support::witness::{failing_first, witness};

/// Of work that waits, is dead or done in one delivery, each handler's is judged by itself.
fn build() -> Named {
    on("github", &["*"]).name("build")
}

async fn dead_work_comes_back_once(handler: fn() -> Named) {
    let database = database().await;
    let pool = database.pool().await;
    let (breaks, mut ran) = failing_first(handler(), 1, || HandlerError::because("broken").permanent());
    let gateway = start(&database, "", vec![breaks, witness(on("github", &["*"]).name("other")).0]).await;
    let sent = Signed::github("dead", "push", "{}");
    let id = sent.send(gateway.ingest_addr().expect("an address")).await.id().to_owned();
    ran.next().await;
    eventually("one is dead and the other done", (1, 0), async || {
        (count(&pool, "dead").await, count(&pool, "jobs").await)
    })
    .await;
    gateway.shutdown().await;

    // No worker now: what the redeliveries did stays to be seen.
    let receiving = [start_receiving(&database, "").await, start_receiving(&database, "").await];
    let answers = join_all((0..10).map(|n| sent.send(receiving[n % 2].ingest_addr().expect("an address")))).await;
    let mut outcomes: Vec<_> = answers.iter().map(|answer| answer.outcome()).collect();
    outcomes.sort_unstable();
    assert_eq!(outcomes[..9], ["duplicate"; 9], "{outcomes:?}");
    assert_eq!(outcomes[9], "requeued");
    assert!(answers.iter().all(|answer| answer.status == 202 && answer.id() == id));
    assert_eq!((count(&pool, "dead").await, count(&pool, "jobs").await), (0, 1), "only the dead one, and once");
    for gateway in receiving {
        gateway.shutdown().await;
    }

    let (mends, mut ran) = witness(handler());
    let gateway = start(&database, "", vec![mends]).await;
    assert_eq!(ran.next().await, id);
    eventually("done at last", 0, async || count(&pool, "jobs").await).await;
    gateway.shutdown().await;
    assert_eq!(ran.another(), None, "ran twice");
    assert_eq!(count(&pool, "attempts where outcome = 'permanent'").await, 1, "the history stays");
}

#[tokio::test]
async fn ten_redeliveries_at_once_of_dead_work_requeue_it_once() {
    dead_work_comes_back_once(build).await;
}

#[tokio::test]
async fn and_in_a_lane_too() {
    dead_work_comes_back_once(|| build().order(Order::Lane)).await;
}

async fn waiting_work_becomes_due(handler: Named) {
    let database = database().await;
    let pool = database.pool().await;
    let (handler, mut ran) =
        failing_first(handler, 1, || HandlerError::because("later").retry_after(Duration::from_secs(600)));
    let gateway = start(&database, "", vec![handler]).await;
    let to = gateway.ingest_addr().expect("an address");
    let sent = Signed::github("waits", "push", "{}");
    let id = sent.send(to).await.id().to_owned();
    ran.next().await;
    eventually("it waits for ten minutes, in its lane if it has one", 1, async || {
        count(&pool, "jobs where state = 'waiting'").await
    })
    .await;

    let answer = sent.send(to).await;
    assert_eq!((answer.outcome(), answer.id()), ("duplicate", id.as_str()));
    assert_eq!(acts(&pool).await, ["hastened"]);
    assert_eq!(ran.next().await, id);
    eventually("it is done", 0, async || count(&pool, "jobs").await).await;
    gateway.shutdown().await;
    assert_eq!(ran.another(), None, "ran twice");
}

#[tokio::test]
async fn a_redelivery_of_waiting_work_makes_it_due_now() {
    waiting_work_becomes_due(build()).await;
}

#[tokio::test]
async fn and_of_a_lane_that_waits_for_its_head() {
    waiting_work_becomes_due(build().order(Order::Lane)).await;
}

#[tokio::test]
async fn a_redelivery_of_waiting_work_tells_its_worker_which_may_not_look_for_an_hour() {
    let database = database().await;
    let pool = database.pool().await;
    let later = || HandlerError::because("later").retry_after(Duration::from_secs(600));
    let (handler, mut ran) = failing_first(build(), 1, later);
    let mut config = config(&database, "");
    config.worker.poll = Duration::from_secs(3600);
    let gateway = start_with(config, vec![handler]).await;
    let to = gateway.ingest_addr().expect("an address");
    let sent = Signed::github("waits", "push", "{}");
    let id = sent.send(to).await.id().to_owned();
    ran.next().await;
    eventually("it waits", 1, async || count(&pool, "jobs where state = 'waiting'").await).await;
    assert_eq!(sent.send(to).await.outcome(), "duplicate");
    assert_eq!(ran.next().await, id);
    gateway.shutdown().await;
}
