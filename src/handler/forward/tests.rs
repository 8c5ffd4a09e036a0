//! A forward against a destination on loopback that records what arrived, byte by byte.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::Instant;
use uuid::Uuid;

use super::*;
use crate::handler::delivery::sample;
use crate::handler::{ContextParts, Delivery, State};
use crate::job::Outcome;
use crate::store::{Held, JobKey, Token};

/// Answers every request with `answer` and hands on the raw bytes of what it got.
async fn destination(answer: &'static [u8]) -> (SocketAddr, mpsc::UnboundedReceiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (seen, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let seen = seen.clone();
            tokio::spawn(async move {
                while let Ok(Some(request)) = request(&mut connection).await {
                    let _ = seen.send(request);
                    connection.write_all(answer).await?;
                }
                io::Result::Ok(())
            });
        }
    });
    (address, requests)
}

/// One HTTP/1.1 request with a `content-length`, raw.
async fn request(connection: &mut tokio::net::TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
            if bytes.len() >= end + 4 + length.unwrap_or(0usize) {
                return Ok(Some(bytes));
            }
        }
        if connection.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}

fn forward_to(address: SocketAddr) -> Forward {
    let url = format!("http://{address}/hooks?token=s3cret");
    Forward::new(spec_to(&url)).expect("a good forward")
}

fn spec_to(url: &str) -> ForwardSpec {
    ForwardSpec {
        url: url.to_owned(),
        signing: Signing::None,
        headers: HeaderMap::new(),
        connection: Connection {
            connect_timeout: Duration::from_secs(5),
            http2: config::Http2::Auto,
            tls: None,
            proxy: None,
            proxy_auth: None,
        },
        permanent: Permanent::default(),
        relays: false,
    }
}

fn context(delivery: Delivery) -> Context {
    let job = JobKey { delivery: delivery.id, event: 0, subscription: 1, run: 0 };
    Context::new(ContextParts {
        pool: None,
        held: Held::Job(job),
        token: Token { worker: Uuid::nil(), n: 1 },
        job,
        delivery: Arc::new(delivery),
        attempt: 1,
        deadline: Instant::now() + Duration::from_secs(30),
        handler: "billing".into(),
        intent: 0,
        state: Arc::new(State::default()),
        breakers: None,
        responds: false,
    })
}

#[tokio::test]
async fn the_bytes_received_are_the_bytes_sent() {
    let (address, mut requests) = destination(b"HTTP/1.1 204 No Content\r\n\r\n").await;
    let body: Vec<u8> = (0..=255).cycle().take(10_000).collect();
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/octet-stream"));
    headers.insert("content-encoding", HeaderValue::from_static("gzip"));
    let mut cx = context(Delivery { body: Bytes::from(body.clone()), headers, ..sample() });

    forward_to(address).run(&mut cx).await.expect("204 is success");

    assert_eq!(cx.status(), Some(204));
    let request = requests.recv().await.expect("it arrived");
    let split = request.windows(4).position(|window| window == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&request[..split]).to_ascii_lowercase();
    assert_eq!(request[split + 4..], body);
    assert!(head.starts_with("post /hooks?token=s3cret http/1.1\r\n"), "{head}");
    assert!(head.contains("content-encoding: gzip\r\n") && head.contains("content-length: 10000"), "{head}");
    assert!(head.contains(&format!("webhook-id: {}\r\n", cx.idempotency_key())), "{head}");
    assert!(!head.contains("accept-encoding") && !head.contains("transfer-encoding"), "{head}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (elsewhere, mut stray) = destination(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let answer =
        format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: http://{elsewhere}/\r\ncontent-length: 0\r\n\r\n");
    let (address, mut requests) = destination(answer.leak().as_bytes()).await;
    let mut cx = context(sample());

    let error = forward_to(address).run(&mut cx).await.expect_err("307 is no success");

    assert!(error.describe().contains("127.0.0.1"), "{error:?}");
    assert_eq!(cx.status(), Some(307));
    assert!(requests.recv().await.is_some());
    assert!(stray.try_recv().is_err(), "the redirect was followed");
}

#[tokio::test]
async fn a_busy_destination_is_heard() {
    let (address, _requests) =
        destination(b"HTTP/1.1 503 Busy\r\nretry-after: 90\r\ncontent-length: 9\r\n\r\ncome back").await;
    let error = forward_to(address).run(&mut context(sample())).await.expect_err("503 is no success");
    assert_eq!(error.outcome(), Outcome::Failed { retry_after: Some(Duration::from_secs(90)) });
    assert!(error.describe().ends_with("503 Service Unavailable: come back"), "{error:?}");
}

#[tokio::test]
async fn an_answer_without_end_does_not_undo_its_status() {
    let (address, _requests) = destination(b"HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\nok").await;
    forward_to(address).run(&mut context(sample())).await.expect("the status decides");
}

#[tokio::test]
async fn a_kept_connection_that_dies_after_the_request_is_one_failed_attempt() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let destination = tokio::spawn(async move {
        let (mut connection, _) = listener.accept().await?;
        assert!(request(&mut connection).await?.is_some());
        connection.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
        assert!(request(&mut connection).await?.is_some(), "the connection was not reused");
        drop(connection);
        let (mut next, _) = listener.accept().await?;
        request(&mut next).await
    });
    let forward = forward_to(address);
    forward.run(&mut context(sample())).await.expect("204 is success");

    let error = forward.run(&mut context(sample())).await.expect_err("no answer came");

    assert_eq!(error.outcome(), Outcome::Failed { retry_after: None });
    assert!(!error.describe().contains("s3cret"), "{error:?}");
    let mut marker = tokio::net::TcpStream::connect(address).await.expect("connect");
    marker.write_all(b"MARK / HTTP/1.1\r\n\r\n").await.expect("write");
    let next = destination.await.expect("no panic").expect("no I/O error").expect("a request");
    assert!(next.starts_with(b"MARK "), "the request was resent behind our back");
}

#[test]
fn what_cannot_be_forwarded_to_is_refused_with_what_to_change() {
    let refused = |url: &str, header: Option<&'static str>| {
        let mut headers = HeaderMap::new();
        if let Some(name) = header {
            headers.insert(name, HeaderValue::from_static("x"));
        }
        let error = Forward::new(ForwardSpec { headers, ..spec_to(url) }).expect_err(url);
        error.to_string()
    };
    assert!(refused("localhost", None).contains("URL"));
    assert!(refused("ftp://example.com/", None).contains("http://"));
    assert!(refused("http://me:s3cret@example.com/", None).contains("password"));
    assert!(refused("http://example.com/", Some("webhook-signature")).contains("webhook-signature"));
    assert!(refused("http://example.com/", Some("content-length")).contains("content-length"));
}

#[tokio::test]
async fn a_secure_destination_can_be_set_up() {
    if let Err(error) = Forward::new(spec_to("https://example.com/")) {
        // A machine without CA certificates can't, and says so.
        assert!(error.to_string().contains("CA certificates"), "{error}");
    }
}
