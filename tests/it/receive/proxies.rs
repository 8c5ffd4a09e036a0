//! Which URL was signed and who called, when proxies stand between.

use super::call::{Call, source};
use crate::support::gateway::{client, config, start_with};
use crate::support::postgres::database;

const SMS: &str = "MessageSid=1&MessageStatus=sent";

fn sms(signed_for: &str) -> Call {
    Call::post("/in/sms?b=2&a=1", SMS)
        .with("content-type", "application/x-www-form-urlencoded")
        .signed("twilio", signed_for)
}

/// As the proxy passes it on: after what the sender wrote, if it wrote anything.
fn behind_proxy(call: Call) -> Call {
    call.with("x-forwarded-for", "203.0.113.9")
        .with("x-forwarded-proto", "https")
        .with("x-forwarded-host", "hooks.test")
}

#[tokio::test]
async fn a_configured_url_is_the_one_that_was_signed_whatever_headers_say() {
    let database = database().await;
    let more = source("sms", "twilio", "") + &source("other", "twilio", "public_url = \"https://other.test\"");
    let mut config = config(&database, &more);
    config.server.public_url = Some("https://hooks.test/".to_owned());
    config.server.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let gateway = start_with(config, vec![]).await;
    let to = gateway.ingest_addr().unwrap();
    assert_eq!(sms("https://hooks.test").send(to).await.status, 200);
    let lying = sms("https://evil.test").with("x-forwarded-host", "evil.test").with("x-forwarded-proto", "https");
    assert_eq!(lying.send(to).await.status, 401);
    // A source may be reached at another host than the rest.
    let other = |base| Call::post("/in/other", "").signed("twilio", base);
    assert_eq!(other("https://other.test").send(to).await.status, 200);
    assert_eq!(other("https://hooks.test").send(to).await.status, 401);
    gateway.shutdown().await;
}

#[tokio::test]
async fn forwarding_headers_count_from_trusted_peers_only() {
    for (trusted, status, peer) in [("127.0.0.0/8", 200, "203.0.113.9"), ("10.0.0.0/8", 401, "127.0.0.1")] {
        let database = database().await;
        let mut config = config(&database, &source("sms", "twilio", ""));
        config.server.trusted_proxies = vec![trusted.parse().unwrap()];
        let gateway = start_with(config, vec![]).await;
        let to = gateway.ingest_addr().unwrap();
        let honest = behind_proxy(sms("https://hooks.test"));
        assert_eq!(honest.send(to).await.status, status, "{trusted}");
        // What the sender writes itself stands before what the proxy adds.
        let lying = behind_proxy(sms("https://evil.test").with("x-forwarded-for", "198.51.100.1"));
        assert_eq!(lying.send(to).await.status, 401, "{trusted}");
        let url = format!("http://{}/api/v1/refusals?limit=1", gateway.operator_addr().unwrap());
        let refusals = client().get(url).send().await.unwrap().text().await.unwrap();
        let refusals: serde_json::Value = serde_json::from_str(&refusals).unwrap();
        assert_eq!(refusals["items"][0]["peer"], peer, "{trusted}: {refusals}");
        gateway.shutdown().await;
    }
}
