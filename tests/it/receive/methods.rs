//! With which methods a source answers: those its provider calls with, and no other.

use super::call::{Call, source};
use crate::support::gateway::start_receiving;
use crate::support::postgres::database;
use crate::support::rows::{count, every_count};

const DOCUMENT: &str = "%7B%22repository%22%3A%7B%22id%22%3A7%7D%7D";

#[tokio::test]
async fn a_source_answers_its_providers_methods_and_says_which() {
    let database = database().await;
    let table = [
        ("trello", "post, head"),
        ("meta", "post, get"),
        ("azure-event-grid", "post, options"),
        ("graph", "post"),
        ("gitea", "post, get"),
        ("sanity", "post, put, patch, delete, get"),
    ];
    let sources: String = table.iter().map(|(provider, _)| source(provider, provider, "")).collect();
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let before = every_count(&database.pool().await).await;
    for (provider, allowed) in table {
        for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "FROB"] {
            let answer = Call::new(method, &format!("/in/{provider}")).send(to).await;
            if allowed.split(", ").any(|name| name.eq_ignore_ascii_case(method)) {
                assert_ne!(answer.status, 405, "{provider} {method}");
            } else {
                assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)), "{provider} {method}");
            }
        }
        let unknown = Call::new("GET", "/in/nobody").send(to).await;
        assert_eq!((unknown.status, unknown.header("allow")), (404, None), "no source, no methods");
    }
    assert_eq!(every_count(&database.pool().await).await, before);
    gateway.shutdown().await;
}

#[tokio::test]
async fn an_event_by_get_is_a_delivery_with_its_target_and_no_body() {
    let database = database().await;
    let gateway = start_receiving(&database, &source("forge", "gitea", "")).await;
    let to = gateway.ingest_addr().unwrap();
    let call = |document: &str| {
        Call::new("GET", &format!("/in/forge?payload={document}"))
            .with("x-gitea-event", "push")
            .with("x-gitea-delivery", "d-1")
    };
    let signed = call(DOCUMENT).signed("gitea", "http://gate.test");
    let answer = signed.send(to).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    let forged = Call { target: signed.target.replace("7%7D", "8%7D"), ..signed.clone() };
    assert_eq!(forged.send(to).await.status, 401, "the document is what is signed");
    let kept: (String, String, i32, Option<String>) =
        sqlx::query_as("select method, target, length(body), event_type from hookgate.deliveries")
            .fetch_one(&database.pool().await)
            .await
            .unwrap();
    let target = format!("/in/forge?payload={DOCUMENT}");
    assert_eq!(kept, ("GET".to_owned(), target, 0, Some("push".to_owned())));
    assert_eq!(signed.send(to).await.status, 202);
    assert_eq!(count(&database.pool().await, "deliveries").await, 1, "the second is a copy");
    gateway.shutdown().await;
}

#[tokio::test]
async fn an_event_by_put_is_a_delivery_where_the_provider_sends_them() {
    let database = database().await;
    let gateway = start_receiving(&database, &source("content", "sanity", "")).await;
    let body = r#"{"_id":"a","_type":"post"}"#;
    let put = Call { method: "PUT", ..Call::post("/in/content", body) };
    let answer = put.signed("sanity", "http://gate.test").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert_eq!(count(&database.pool().await, "deliveries where method = 'PUT'").await, 1);
    gateway.shutdown().await;
}

/// Strava's secret is in the URL, and GET is for its handshake: whoever knows the URL must not make events by opening it.
#[tokio::test]
async fn a_method_that_is_for_handshakes_makes_no_event_however_well_it_is_signed() {
    let database = database().await;
    let gateway = start_receiving(&database, &source("runs", "strava", "")).await;
    let to = gateway.ingest_addr().unwrap();
    let target = format!("/in/runs?token={}", super::call::SECRET);
    let answer = Call::new("GET", &target).send(to).await;
    assert_eq!((answer.status, answer.body.as_str()), (401, "unauthorized"));
    assert_eq!(count(&database.pool().await, "deliveries").await, 0);
    let event = r#"{"object_type":"activity","object_id":1,"aspect_type":"create","event_time":1}"#;
    assert_eq!(Call::post(&target, event).send(to).await.status, 200);
    gateway.shutdown().await;
}
