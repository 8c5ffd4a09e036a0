//! A destination that cannot be reached is tried again, and the attempt says what to look at.

use super::{first_error, forward};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{database_with_effects, number};

/// The error of an attempt at this address, which is tried again.
async fn error_of(to: &str) -> String {
    let (database, pool) = database_with_effects().await;
    let gateway = start(&database, &forward(to, ""), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let failed = "select count(*) from hookgate.attempts where outcome = 'failed'";
    eventually("two attempts", true, async || number(&pool, failed).await >= 2).await;
    gateway.shutdown().await;
    first_error(&pool).await.expect("an error")
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_tried_again_and_told() {
    let error = error_of("http://nowhere.invalid/hooks?token=s3cret").await;
    assert!(error.starts_with("the name of nowhere.invalid:80 could not be resolved"), "{error}");
    assert!(!error.contains("s3cret") && !error.contains("/hooks"), "{error}");
}

#[tokio::test]
async fn a_port_where_nothing_listens_is_tried_again_and_told() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let error = error_of(&format!("http://{free}/hooks?token=s3cret")).await;
    assert!(error.starts_with(&format!("nothing listens at {free}")), "{error}");
    assert!(!error.contains("s3cret") && !error.contains("/hooks"), "{error}");
}
