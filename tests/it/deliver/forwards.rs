//! A forward's verdict is its status: what the destination sends after it, or fails to send, changes nothing.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{database_with_effects, number};

/// A destination that answers with this head and never ends the body it promises; its address.
async fn endless(head: &'static str) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(head.as_bytes()).await;
            open.push(stream);
        }
    });
    addr
}

/// What the first attempt at such a destination is recorded as.
async fn recorded(head: &'static str, expected: &str) {
    let (database, pool) = database_with_effects().await;
    let to = endless(head).await;
    let forward = format!(
        "[[forward]]\nname = 'app'\nfrom = 'stripe'\nevents = ['*']\nto = 'http://{to}/'\ntimeout = '900ms'\nsign = 'none'\n"
    );
    let gateway = start(&database, &forward, vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let count = "select count(*) from hookgate.attempts";
    eventually("an attempt", true, async || number(&pool, count).await > 0).await;
    let first: String = sqlx::query_scalar(
        "select outcome || ' ' || coalesce(status::text, 'without status') from hookgate.attempts where attempt = 1",
    )
    .fetch_one(&pool)
    .await
    .expect("read the attempt");
    assert_eq!(first, expected);
    gateway.shutdown().await;
}

#[tokio::test]
async fn an_accepted_forward_is_done_though_its_answer_never_ends() {
    recorded("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "ok 200").await;
}

#[tokio::test]
async fn a_refused_forward_is_a_failure_and_no_timeout_though_its_explanation_never_ends() {
    recorded("HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n", "failed 503").await;
}
