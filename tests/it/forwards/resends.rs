//! What a destination may have seen is never sent again within one attempt: whatever it sees twice has two attempt numbers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::PgPool;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::forward;
use super::wire::{Does, NO_CONTENT, Seen, Wire};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{attempts, database_with_effects, number, tried, unfinished};

/// Sends events one after another, each when the one before is done; what the destination saw.
async fn events(script: &'static [Does], count: usize, padding: usize) -> (PgPool, Vec<Seen>) {
    let (database, pool) = database_with_effects().await;
    let wire = Wire::doing(script).await;
    let gateway = start(&database, &forward(&format!("http://{}/", wire.addr), ""), vec![]).await;
    for event in 1..=count {
        let padding = "x".repeat(padding);
        let body = format!(
            "{{\"id\": \"evt_{event}\", \"type\": \"a.b\", \"created\": 1700000000, \"data\": {{\"object\": {{\"id\": \"in_{event}\"}}}}, \"padding\": \"{padding}\"}}"
        );
        let answer = Signed::stripe(body).send(gateway.ingest_addr().unwrap()).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        let done = "select count(*) from hookgate.attempts where outcome = 'ok'";
        eventually("it is done", event as i64, async || number(&pool, done).await).await;
    }
    assert_eq!(unfinished(&pool).await, 0);
    let seen = wire.seen();
    // The promise, whatever happened: one request an attempt.
    let labels: BTreeSet<_> = seen.iter().map(Seen::label).collect();
    assert_eq!(labels.len(), seen.len(), "a request was sent twice in one attempt: {seen:#?}");
    gateway.shutdown().await;
    (pool, seen)
}

#[tokio::test]
async fn a_connection_that_was_closed_after_an_answer_costs_nobody_a_doubled_request() {
    let (pool, seen) = events(&[Does::AnswerAndClose("HTTP/1.1 204 No Content\r\n\r\n")], 3, 0).await;
    // A request that was not begun on the closed connection may take another; one that was begun may not.
    assert_eq!(
        seen.len() as i64,
        number(&pool, "select count(*) from hookgate.attempts where status is not null").await
    );
}

#[tokio::test]
async fn a_kept_connection_that_is_closed_on_a_requests_head_makes_a_second_attempt_and_no_hidden_one() {
    let (pool, seen) = events(&[NO_CONTENT, Does::Vanish], 2, 0).await;
    assert_eq!(seen.iter().map(|seen| seen.connection).collect::<Vec<_>>(), [0, 0, 1], "it was not kept");
    let numbers: Vec<String> = seen.iter().map(|seen| seen.label().1).collect();
    assert_eq!(numbers, ["1", "1", "2"]);
    let told = "select count(*) from hookgate.attempts where outcome = 'failed' and status is null
                 and error like 'the connection to % broke before an answer came; whether the destination handled it is not known%'";
    assert_eq!(number(&pool, told).await, 1);
}

#[tokio::test]
async fn a_connection_that_is_reset_amid_a_requests_body_makes_a_second_attempt_and_no_hidden_one() {
    let (_, seen) = events(&[NO_CONTENT, Does::Vanish, Does::Vanish], 2, 600_000).await;
    let numbers: Vec<String> = seen.iter().map(|seen| seen.label().1).collect();
    assert_eq!(numbers, ["1", "1", "2", "3"]);
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_what_its_status_says_and_is_not_asked_for_again() {
    const CUT: Does = Does::AnswerAndClose("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf of it");
    let (pool, seen) = events(&[CUT], 2, 0).await;
    assert_eq!(seen.len(), 2);
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where status = 200").await, 1);
}

/// How an HTTP/2 server turns a request away that it has seen.
#[derive(Debug, Clone, Copy)]
enum Refusal {
    /// GOAWAY that names no stream as handled.
    GoAway,
    /// RST_STREAM, REFUSED_STREAM.
    Stream,
}

/// Refuses the first request and answers 204 to the others; counts them as their heads arrive. RFC 9113, by hand.
async fn http2(refusal: Refusal) -> (std::net::SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let counted = Arc::clone(&counted);
            tokio::spawn(async move { speak(stream, refusal, &counted).await });
        }
    });
    (addr, seen)
}

async fn speak(mut stream: TcpStream, refusal: Refusal, seen: &AtomicUsize) -> std::io::Result<()> {
    const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const SETTINGS_ACK: [u8; 9] = [0, 0, 0, 4, 1, 0, 0, 0, 0];
    const GO_AWAY: [u8; 17] = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut preface = [0; 24];
    stream.read_exact(&mut preface).await?;
    stream.write_all(&SETTINGS).await?;
    let mut number = 0;
    loop {
        let mut frame = [0; 9];
        stream.read_exact(&mut frame).await?;
        let [high, middle, low, kind, flags, s0, s1, s2, s3] = frame;
        let mut payload = vec![0; u32::from_be_bytes([0, high, middle, low]) as usize];
        stream.read_exact(&mut payload).await?;
        if kind == 4 && flags & 1 == 0 {
            stream.write_all(&SETTINGS_ACK).await?;
        }
        if kind == 1 {
            number = seen.fetch_add(1, Ordering::SeqCst);
        }
        let is_whole = matches!(kind, 0 | 1) && flags & 1 == 1;
        match refusal {
            _ if !is_whole => {}
            Refusal::GoAway if number == 0 => stream.write_all(&GO_AWAY).await?,
            Refusal::Stream if number == 0 => stream.write_all(&[0, 0, 4, 3, 0, s0, s1, s2, s3, 0, 0, 0, 7]).await?,
            // HEADERS that end the stream; 0x89 is `:status: 204` in the static table of RFC 7541.
            _ => stream.write_all(&[0, 0, 1, 1, 5, s0, s1, s2, s3, 0x89]).await?,
        }
    }
}

#[tokio::test]
async fn what_an_http2_destination_turns_away_is_a_failed_attempt_and_no_hidden_resend() {
    for refusal in [Refusal::GoAway, Refusal::Stream] {
        let (database, pool) = database_with_effects().await;
        let (addr, seen) = http2(refusal).await;
        let forward = forward(&format!("http://{addr}/"), "http2 = 'prior-knowledge'");
        let gateway = start(&database, &forward, vec![]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        eventually("its end", tried(&["failed", "ok"]), async || attempts(&pool).await).await;
        assert_eq!(seen.load(Ordering::SeqCst), 2, "{refusal:?}");
        gateway.shutdown().await;
    }
}
