//! A proxy is used where it is configured.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::forward;
use super::wire::{Does, Wire};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{attempts, database_with_effects, tried};

const SAID: &str = "proxy_auth = { user = 'gate', password = { literal = 'sesame' } }";

#[tokio::test]
async fn a_configured_proxy_is_asked_for_the_whole_address_and_told_who_asks() {
    let (database, pool) = database_with_effects().await;
    let proxy = Wire::doing(&[]).await;
    // Nobody but the proxy could know this name.
    let forward = forward("http://nowhere.invalid/hooks", &format!("proxy = 'http://{}'\n{SAID}", proxy.addr));
    let gateway = start(&database, &forward, vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    eventually("its end", tried(&["ok"]), async || attempts(&pool).await).await;
    let [asked] = &proxy.seen()[..] else { panic!("{:?}", proxy.seen()) };
    assert!(asked.head.starts_with("post http://nowhere.invalid/hooks http/1.1\r\n"), "{}", asked.head);
    let expected = format!("Basic {}", BASE64_STANDARD.encode("gate:sesame")).to_ascii_lowercase();
    assert_eq!(asked.header("proxy-authorization"), Some(expected.as_str()));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_secure_destination_is_reached_through_a_tunnel_that_shows_the_proxy_nothing() {
    let (database, pool) = database_with_effects().await;
    let proxy =
        Wire::doing(&[Does::AnswerAndClose("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n"); 1000]).await;
    let certificate = super::tls::Authority::new("ours");
    let folder = tempfile::tempdir().expect("a folder");
    let ca = folder.path().join("ca.pem");
    std::fs::write(&ca, certificate.pem()).expect("write");
    let options = format!("proxy = 'http://{}'\n{SAID}\ntls = {{ ca = {{ file = {ca:?} }} }}", proxy.addr);
    let gateway = start(&database, &forward("https://nowhere.invalid/hooks?token=s3cret", &options), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    eventually("an attempt", Some("failed".to_owned()), async || {
        attempts(&pool).await.first().map(|(_, outcome)| outcome.clone())
    })
    .await;
    let asked = proxy.seen().remove(0);
    assert!(asked.head.starts_with("connect nowhere.invalid:443 http/1.1\r\n"), "{}", asked.head);
    assert!(asked.header("proxy-authorization").is_some() && !asked.head.contains("s3cret"), "{}", asked.head);
    let error = super::first_error(&pool).await.expect("an error");
    let host = format!("nowhere.invalid:443 (through the proxy {})", proxy.addr);
    assert!(error.contains(&format!("{host} could not be reached")) && !error.contains("s3cret"), "{error}");
    gateway.shutdown().await;
}
