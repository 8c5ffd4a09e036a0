//! The handler runs in another process than the one that was asked, or the database is away.

use hookgate::config::ProcessRole;

use super::{FALLBACK, LONG, request, responder, source, told};
use crate::support::eventually::eventually;
use crate::support::gateway::{config, start_receiving, start_with};
use crate::support::puppet::puppet;
use crate::support::rows::count;
use crate::support::work::database_with_effects;

#[tokio::test]
async fn an_answer_of_a_worker_elsewhere_is_found_and_relayed() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("elsewhere"));
    let receiving = start_receiving(&database, &source(LONG)).await;
    let mut settings = config(&database, &source(LONG));
    settings.server.roles = [ProcessRole::Worker].into();
    let working = start_with(settings, vec![handler]).await;
    let to = receiving.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    call.respond(200, "text/xml", "<Response/>");
    call.succeed();
    let answer = sent.await.unwrap();
    assert_eq!((told(&answer), &answer.headers["content-type"]), ((200, "<Response/>"), &"text/xml".parse().unwrap()));
    assert_eq!(count(&pool, "answers").await, 1);
    let failing = tokio::spawn(async move { request("evt_2").send(to).await });
    calls.next().await.end(hookgate::HandlerError::because("hopeless").permanent());
    assert_eq!(told(&failing.await.unwrap()), FALLBACK);
    receiving.shutdown().await;
    working.shutdown().await;
}

/// The look for an answer waits for a lock here; whoever waits for it is answered by their own deadline.
#[tokio::test]
async fn a_database_that_does_not_answer_costs_the_answer_and_not_the_deadline() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("elsewhere"));
    let receiving = start_receiving(&database, &source("700ms")).await;
    let mut settings = config(&database, &source("700ms"));
    settings.server.roles = [ProcessRole::Worker].into();
    let working = start_with(settings, vec![handler]).await;
    let mut locked = pool.begin().await.unwrap();
    sqlx::query("lock table hookgate.answers in access exclusive mode").execute(&mut *locked).await.unwrap();
    let to = receiving.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    assert_eq!(told(&sent.await.unwrap()), FALLBACK);
    locked.rollback().await.unwrap();
    call.respond(200, "text/plain", "now");
    call.succeed();
    eventually("it is kept", 1, async || count(&pool, "answers").await).await;
    assert_eq!(told(&request("evt_1").send(to).await), (200, "now"));
    receiving.shutdown().await;
    working.shutdown().await;
}
