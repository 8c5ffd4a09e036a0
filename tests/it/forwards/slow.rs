//! A destination that takes its time gets the time that is configured and no more, and holds its place no longer.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::{first_error, forward};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{database_with_effects, number};

/// A listener whose queue is full, so that the kernel answers nobody; and what fills it.
async fn silent() -> (TcpListener, Vec<TcpStream>, String) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let listener = socket.listen(1).expect("to listen");
    let addr = listener.local_addr().expect("an address");
    let mut filling = Vec::new();
    // Full is what no longer answers.
    while let Ok(Ok(stream)) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(addr)).await {
        filling.push(stream);
        assert!(filling.len() < 100, "the queue has no end");
    }
    (listener, filling, format!("http://{addr}/hooks?token=s3cret"))
}

#[tokio::test]
async fn a_destination_that_never_accepts_is_given_up_after_the_connect_timeout_and_tried_again() {
    let (_listener, _filling, to) = silent().await;
    let (database, pool) = database_with_effects().await;
    let gateway = start(&database, &forward(&to, "connect_timeout = '300ms'\ntimeout = '20s'"), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let failed = "select count(*) from hookgate.attempts where outcome = 'failed'";
    eventually("two attempts", true, async || number(&pool, failed).await >= 2).await;
    let error = first_error(&pool).await.expect("an error");
    assert!(error.contains("could not be reached within `connect_timeout`") && !error.contains("s3cret"), "{error}");
    gateway.shutdown().await;
}

/// Answers with this and then with one byte of a header after another, without end.
async fn dribbling() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                stream.write_all(b"HTTP/1.1 200 OK\r\nx-slow: ").await?;
                let mut pace = tokio::time::interval(Duration::from_millis(20));
                loop {
                    pace.tick().await;
                    stream.write_all(b"a").await?;
                }
                #[expect(unreachable_code, reason = "names the error's type")]
                std::io::Result::Ok(())
            });
        }
    });
    format!("http://{addr}/")
}

#[tokio::test]
async fn headers_that_come_byte_by_byte_end_with_the_timeout_and_free_the_place_for_others() {
    let (database, pool) = database_with_effects().await;
    let options = "timeout = '500ms'\nconcurrency = 1\nbackoff_base = '1h'\nbackoff_cap = '1h'";
    let forward = forward(&dribbling().await, "").replace("backoff_base = '1ms'\nbackoff_cap = '1ms'", options);
    let gateway = start(&database, &forward, vec![]).await;
    for event in ["evt_1", "evt_2"] {
        Signed::stripe_event(event, "a.b", event).send(gateway.ingest_addr().unwrap()).await;
    }
    let timeouts =
        "select count(distinct delivery) from hookgate.attempts where outcome = 'timeout' and status is null";
    eventually("each had its turn", 2, async || number(&pool, timeouts).await).await;
    let longest = "select max(extract(epoch from ended_at - started_at) * 1000)::bigint from hookgate.attempts";
    let longest = number(&pool, longest).await;
    assert!((400..10_000).contains(&longest), "{longest} ms");
    gateway.shutdown().await;
}
