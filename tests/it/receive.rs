//! Bad input at the edge: what is answered before, or without, judging a signature. None of it leaves a row.

mod acknowledgements;
mod addresses;
mod call;
mod handshakes;
mod keys;
mod methods;
mod proxies;

use std::net::SocketAddr;
use std::time::Duration;

use hookgate::Running;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::gateway::{GITHUB_SECRET, Signed, config, start_with};
use crate::support::postgres::database;
use crate::support::rows::{count, every_count};
use crate::support::wire::{RawAnswer, exchange};

const SMALL: &str = "[source.small]\nprovider = \"github\"\nmax_body = \"1kB\"\n";

/// A gateway that waits a quarter of a second for a body, with a source for small ones.
async fn gateway() -> (PgPool, Running, SocketAddr) {
    let database = database().await;
    let more = format!("{SMALL}secrets = [{{ literal = {GITHUB_SECRET:?} }}]\n");
    let mut config = config(&database, &more);
    config.server.body_timeout = Duration::from_millis(250);
    let gateway = start_with(config, vec![]).await;
    let to = gateway.ingest_addr().expect("an address");
    (database.pool().await, gateway, to)
}

async fn post(to: SocketAddr, path: &str, more: &str) -> RawAnswer {
    exchange(to, format!("POST {path} HTTP/1.1\r\nhost: x\r\n{more}").as_bytes()).await
}

#[tokio::test]
async fn an_unknown_source_is_404_before_its_body_is_read() {
    let (pool, gateway, to) = gateway().await;
    let before = every_count(&pool).await;
    // Ten gigabytes are announced and none is sent.
    for more in ["content-length: 10000000000\r\n\r\n", "transfer-encoding: chunked\r\n\r\n"] {
        let answer = post(to, "/in/nobody", more).await;
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found"));
    }
    let answer = post(to, "/in/nobody", "expect: 100-continue\r\ncontent-length: 5\r\n\r\n").await;
    assert_eq!(answer.status, 404, "not 100: nobody wants the body");
    assert_eq!(every_count(&pool).await, before);
    gateway.shutdown().await;
}

#[tokio::test]
async fn an_oversize_body_is_413_by_its_length_and_by_what_comes() {
    let (pool, gateway, to) = gateway().await;
    let answer = post(to, "/in/small", "content-length: 1025\r\n\r\n").await;
    assert_eq!(answer.status, 413, "before a byte of it came");
    let chunks = format!("transfer-encoding: chunked\r\n\r\n401\r\n{}\r\n", "x".repeat(1025));
    assert_eq!(post(to, "/in/small", &chunks).await.status, 413, "as soon as it is too large, not at its end");
    // Exactly as large as allowed is fine.
    let body = format!("\"{}\"", "x".repeat(1022));
    assert_eq!(Signed::github("a", "push", body).to("small").send(to).await.outcome(), "unhandled");
    assert_eq!(count(&pool, "deliveries").await, 1);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_in_time_is_408() {
    let (pool, gateway, to) = gateway().await;
    let before = every_count(&pool).await;
    assert_eq!(post(to, "/in/github", "content-length: 10\r\n\r\n123").await.status, 408);
    assert_eq!(post(to, "/in/github", "transfer-encoding: chunked\r\n\r\n3\r\n123\r\n").await.status, 408);
    assert_eq!(every_count(&pool).await, before);
    gateway.shutdown().await;
}

#[tokio::test]
async fn broken_framing_and_endless_headers_are_refused() {
    let (pool, gateway, to) = gateway().await;
    let before = every_count(&pool).await;
    assert_eq!(post(to, "/in/github", "transfer-encoding: chunked\r\n\r\nzz\r\n").await.status, 400);
    assert_eq!(post(to, "/in/github", "content-length: 1\r\ncontent-length: 2\r\n\r\n12").await.status, 400);
    let endless = format!("x-long: {}\r\n\r\n", "x".repeat(1_000_000));
    assert_eq!(post(to, "/in/github", &endless).await.status, 431);
    assert_eq!(every_count(&pool).await, before);
    gateway.shutdown().await;
}

#[tokio::test]
async fn other_methods_are_405_and_say_what_is_allowed() {
    let (pool, gateway, to) = gateway().await;
    let before = every_count(&pool).await;
    for method in ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "FROB"] {
        let answer = exchange(to, format!("{method} /in/github HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("post")), "{method}");
    }
    assert_eq!(every_count(&pool).await, before);
    gateway.shutdown().await;
}

#[tokio::test]
async fn odd_paths_are_404_and_never_a_redirect() {
    let (pool, gateway, to) = gateway().await;
    let before = every_count(&pool).await;
    let paths = [
        "/",
        "/in",
        "/in/",
        "/in/github/",
        "//in/github",
        "/in//github",
        "/IN/github",
        "/in/GitHub",
        "/in/./github",
        "/in/../in/github",
        "/in/github%2F..%2F..%2Fadmin",
        "/in/%252e%252e/admin",
        "/in/github/../../admin",
        "/in/%00",
        "/in/github%00",
        "/in/%ff",
        "/in/%",
        "/api/v1/deliveries",
        "/metrics",
    ];
    for path in paths {
        let answer = post(to, path, "content-length: 2\r\n\r\n{}").await;
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found"), "{path}");
        assert_eq!(answer.header("location"), None, "{path}");
    }
    assert_eq!(every_count(&pool).await, before);
    gateway.shutdown().await;
}

/// A query is the sender's to have, and kept.
#[tokio::test]
async fn a_query_does_not_change_the_source() {
    let (pool, gateway, to) = gateway().await;
    assert_eq!(post(to, "/in/github?token=x", "content-length: 2\r\n\r\n{}").await.status, 401);
    assert_eq!(count(&pool, "deliveries").await, 0);
    gateway.shutdown().await;
}

#[tokio::test]
async fn header_names_are_read_in_any_case() {
    let (pool, gateway, to) = gateway().await;
    let sent = Signed::github("mixed-case", "push", "{}");
    let headers: String = sent
        .headers
        .iter()
        .map(|(name, value)| format!("{}: {}\r\n", name.to_ascii_uppercase(), String::from_utf8_lossy(value)))
        .collect();
    let answer = post(to, "/in/github", &format!("{headers}content-length: 2\r\n\r\n{{}}")).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert_eq!(count(&pool, "deliveries where provider_id = 'mixed-case'").await, 1);
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_who_only_promise_bytes_cost_nobody_an_answer() {
    let database = database().await;
    let mut config = config(&database, "");
    config.server.max_body = 32 * 1024;
    config.server.bytes_in_flight = 64 * 1024;
    let gateway = start_with(config, vec![]).await;
    let to = gateway.ingest_addr().unwrap();
    let mut strangers = Vec::new();
    for _ in 0..8 {
        let mut stranger = TcpStream::connect(to).await.expect("connect");
        let promise = "POST /in/stripe HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 32768\r\n\r\n";
        stranger.write_all(promise.as_bytes()).await.expect("send");
        // The gateway says so once it waits for the body; refused for want of memory it says something else.
        let mut answer = [0; 21];
        stranger.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(String::from_utf8_lossy(&answer), "HTTP/1.1 100 Continue");
        strangers.push(stranger);
    }
    let honest = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(to).await;
    assert_eq!(honest.status, 202, "{}", honest.text);
    drop(strangers);
    gateway.shutdown().await;
}
