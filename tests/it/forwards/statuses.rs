//! Which answers end a job at once, and which are tried again whatever the configuration says.

use super::forward;
use crate::support::destination::Destination;
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{attempts, database_with_effects, deaths, number, tried, unfinished};

#[tokio::test]
async fn an_answer_listed_as_permanent_ends_the_job_and_says_why() {
    let (database, pool) = database_with_effects().await;
    let destination = Destination::answering(&[422]).await;
    let gateway = start(&database, &forward(&destination.url(), "permanent = [400, 422]"), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    eventually("a dead job", vec!["permanent".to_owned()], async || deaths(&pool).await).await;
    assert_eq!(attempts(&pool).await, tried(&["permanent"]));
    let told = "select count(*) from hookgate.dead where error like '%422 Unprocessable Entity%`permanent` holds 422%'";
    assert_eq!(number(&pool, told).await, 1);
    gateway.shutdown().await;
}

#[tokio::test]
async fn an_answer_that_says_later_is_tried_again_though_its_class_is_permanent() {
    let (database, pool) = database_with_effects().await;
    let destination = Destination::answering(&[429, 408, 425, 500, 503]).await;
    let gateway = start(&database, &forward(&destination.url(), "permanent = ['3xx', '4xx']"), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let all = tried(&["failed", "failed", "failed", "failed", "failed", "ok"]);
    eventually("its end", all, async || attempts(&pool).await).await;
    assert_eq!(unfinished(&pool).await, 0);
    gateway.shutdown().await;
}

#[tokio::test]
async fn without_a_list_no_answer_is_permanent() {
    let (database, pool) = database_with_effects().await;
    let destination = Destination::answering(&[400, 404, 410, 422, 301]).await;
    let gateway = start(&database, &forward(&destination.url(), ""), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let all = tried(&["failed", "failed", "failed", "failed", "failed", "ok"]);
    eventually("its end", all, async || attempts(&pool).await).await;
    gateway.shutdown().await;
}
