//! The same request again is answered alike, whenever it comes.

use super::{FALLBACK, LONG, request, responder, source, told};
use crate::support::eventually::eventually;
use crate::support::gateway::start;
use crate::support::puppet::puppet;
use crate::support::rows::count;
use crate::support::work::{attempts, database_with_effects, tried, unfinished};

#[tokio::test]
async fn a_copy_that_comes_while_the_first_runs_waits_for_the_same_answer() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("one"));
    let gateway = start(&database, &source(LONG), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let first = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    let copies: Vec<_> = (0..3).map(|_| tokio::spawn(async move { request("evt_1").send(to).await })).collect();
    eventually("the copies were noted", 3, async || count(&pool, "copies").await).await;
    call.respond(200, "text/plain", "one for all");
    call.succeed();
    for sent in copies.into_iter().chain([first]) {
        assert_eq!(told(&sent.await.unwrap()), (200, "one for all"));
    }
    assert_eq!((attempts(&pool).await, calls.has_more()), (tried(&["ok"]), false));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_copy_that_comes_later_gets_the_stored_answer_from_any_gateway() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("one"));
    let gateway = start(&database, &source("300ms"), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    assert_eq!(told(&request("evt_1").send(to).await), FALLBACK);
    let call = calls.next().await;
    call.respond(203, "text/plain", "stored");
    call.succeed();
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    assert_eq!(told(&request("evt_1").send(to).await), (203, "stored"));
    gateway.shutdown().await;
    let (handler, mut calls) = puppet(responder("one"));
    let another = start(&database, &source(LONG), vec![handler]).await;
    let answer = request("evt_1").send(another.ingest_addr().unwrap()).await;
    assert_eq!((told(&answer), &answer.headers["content-type"]), ((203, "stored"), &"text/plain".parse().unwrap()));
    assert!(!calls.has_more());
    another.shutdown().await;
}

/// The redelivery of a dead one runs again, and is answered by that run.
#[tokio::test]
async fn a_redelivery_of_dead_work_waits_for_its_new_run() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("one"));
    let gateway = start(&database, &source(LONG), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    calls.next().await.end(hookgate::HandlerError::because("hopeless").permanent());
    assert_eq!(told(&sent.await.unwrap()), FALLBACK);
    let again = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    call.respond(200, "text/plain", "after all");
    call.succeed();
    assert_eq!(told(&again.await.unwrap()), (200, "after all"));
    assert_eq!(count(&pool, "answers").await, 1);
    gateway.shutdown().await;
}
