//! A handler or destination that panics, hangs, wastes or answers garbage fails its attempt, and nobody else's.

use std::net::SocketAddr;
use std::time::Duration;

use hookgate::{Context, Handler, HandlerError, Order, Raw, Running, on};
use sqlx::PgPool;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{deliver, post};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, deaths, execute, last_error, number, unfinished};

/// How a destination answers once it has the request.
#[derive(Clone, Copy, Debug)]
enum Rudeness {
    Garbage,
    EndlessHeaders,
    EndlessBody,
    ClosesInItsHead,
    ClosesInItsBody,
    ClosesAtOnce,
    SaysNothing,
}

async fn rude(rudeness: Rudeness) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, rudeness));
        }
    });
    addr
}

/// Ends when the other side has had enough.
async fn answer(mut stream: TcpStream, rudeness: Rudeness) {
    let mut request = [0; 8192];
    let _ = stream.read(&mut request).await;
    let (head, then): (&[u8], &[u8]) = match rudeness {
        Rudeness::Garbage => (b"\x16\x03\x01 no HTTP \xff\xfe\r\n\r\n", b""),
        Rudeness::EndlessHeaders => {
            (b"HTTP/1.1 200 OK\r\n", b"x-more: of the same, and of the same, and of the same\r\n")
        }
        Rudeness::EndlessBody => (b"HTTP/1.1 500 No\r\ncontent-length: 99999999999\r\n\r\n", &[b'x'; 65536]),
        Rudeness::ClosesInItsHead => (b"HTTP/1.1 200 OK\r\ncontent-le", b""),
        Rudeness::ClosesInItsBody => (b"HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\nhalf", b""),
        Rudeness::ClosesAtOnce => (b"", b""),
        Rudeness::SaysNothing => return std::future::pending().await,
    };
    let _ = stream.write_all(head).await;
    while !then.is_empty() && stream.write_all(then).await.is_ok() {}
}

#[tokio::test]
async fn a_destination_that_answers_no_answer_fails_the_attempt_in_its_time() {
    for (rudeness, outcome, said) in [
        (Rudeness::Garbage, "failed", ""),
        (Rudeness::EndlessHeaders, "failed", ""),
        (Rudeness::EndlessBody, "failed", "500"),
        (Rudeness::ClosesInItsHead, "failed", ""),
        (Rudeness::ClosesInItsBody, "failed", "500"),
        (Rudeness::ClosesAtOnce, "failed", ""),
        (Rudeness::SaysNothing, "timeout", "not done within"),
    ] {
        let (database, pool) = database_with_effects().await;
        let to = rude(rudeness).await;
        let forward = format!(
            "[[forward]]\nname = 'app'\nfrom = 'stripe'\nto = 'http://{to}/'\ntimeout = '2s'\nsign = 'none'\nattempts = 1\n"
        );
        let (beside, mut calls) = puppet(on("stripe", &["*"]).name("beside"));
        let gateway = start(&database, &forward, vec![beside]).await;
        deliver(&gateway, 1, "in_1").await;
        calls.next().await.succeed();
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        let mut outcomes: Vec<String> = attempts(&pool).await.into_iter().map(|(_, outcome)| outcome).collect();
        outcomes.retain(|outcome| outcome != "ok");
        assert_eq!(outcomes, [outcome], "{rudeness:?}");
        let error: String = sqlx::query_scalar("select error from hookgate.dead").fetch_one(&pool).await.unwrap();
        assert!(error.contains(said) && error.len() < 4096, "{rudeness:?}: {error}");
        gateway.shutdown().await;
    }
}

async fn allocates(Raw(body): Raw, _: &mut Context) -> Result<(), HandlerError> {
    let mut waste = vec![1_u8; 512 << 20];
    waste[body.len()] = 2;
    match waste.iter().step_by(4096).map(|byte| u64::from(*byte)).sum::<u64>() {
        0 => Ok(()),
        _ => Err(HandlerError::because("it had half a gigabyte, and wants more")),
    }
}

async fn blocks(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    std::thread::sleep(Duration::from_millis(1500));
    Ok(())
}

async fn panics(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    panic!("as handlers do")
}

async fn hangs(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    std::future::pending().await
}

/// Starts a gateway with this handler and one beside it, and has it handle one event and the other one three.
async fn beside(handler: Handler) -> (Running, PgPool) {
    let (database, pool) = database_with_effects().await;
    let (other, mut calls) = puppet(on("stripe", &["a.*"]).name("beside").order(Order::Lane));
    let gateway = start(&database, "", vec![handler, other]).await;
    Signed::stripe_event("evt_bad", "bad.event", "in_1").send(gateway.ingest_addr().unwrap()).await;
    for n in 1..=3 {
        deliver(&gateway, n, "in_1").await;
        calls.next().await.succeed();
    }
    (gateway, pool)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_wastes_blocks_panics_or_hangs_fails_alone_and_in_its_time() {
    let limit = Duration::from_millis(500);
    let named = |name: &str| on("stripe", &["bad.*"]).name(name).attempts(1);
    let table = [
        (named("bad").run(allocates), "failed"),
        // It can't be cut off, so it ends late, and well.
        (named("bad").timeout(limit).run(blocks), "ok"),
        (named("bad").run(panics), "panic"),
        (named("bad").timeout(limit).run(hangs), "timeout"),
    ];
    for (handler, outcome) in table {
        let (gateway, pool) = beside(handler).await;
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        let of = |name: &str, outcome: &str| {
            format!(
                "select count(*) from hookgate.attempts a join hookgate.subscriptions u on u.id = a.subscription
                   join hookgate.handlers h on h.id = u.handler where h.name = '{name}' and a.outcome = '{outcome}'"
            )
        };
        assert_eq!(number(&pool, &of("bad", outcome)).await, 1, "{outcome}");
        assert_eq!((number(&pool, &of("beside", "ok")).await, attempts(&pool).await.len()), (3, 4), "{outcome}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_payload_that_the_database_can_not_read_is_a_failure_with_waits_and_an_end() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let named = on("stripe", &["*"]).name("mail").order(order).attempts(3);
        let (mail, mut calls) = puppet(named.backoff(Duration::from_millis(5), 1, Duration::from_millis(5)));
        let gateway = start(&database, "", vec![mail]).await;
        post(&gateway, "pause", serde_json::json!({"all": true})).await;
        deliver(&gateway, 1, "in_1").await;
        // As damage shows: an error whenever it is read.
        execute(&pool, "alter table hookgate.deliveries rename column content_type to unreadable").await;
        post(&gateway, "resume", serde_json::json!({"all": true})).await;
        eventually("a dead job", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        assert_eq!((attempts(&pool).await.len(), calls.has_more(), unfinished(&pool).await), (3, false, 0));
        assert!(last_error(&pool).await.contains("the payload can't be read"), "{}", last_error(&pool).await);
        gateway.shutdown().await;
    }
}
