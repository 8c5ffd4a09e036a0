//! A forward relays what its destination answers: status, type and body, and nothing that is not the sender's business.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use tokio::net::TcpListener;

use super::{FALLBACK, LONG, request, source, told};
use crate::support::eventually::eventually;
use crate::support::gateway::start;
use crate::support::postgres::database;
use crate::support::rows::count;
use crate::support::work::{attempts, tried, unfinished};

#[derive(Clone)]
struct Says {
    status: u16,
    body: Vec<u8>,
}

/// A destination that always says the same; its URL.
async fn destination(status: u16, body: Vec<u8>) -> String {
    async fn answer(State(says): State<Says>) -> impl IntoResponse {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("content-type", "application/vnd.answer+json"),
            ("content-language", "fr"),
            ("set-cookie", "session=secret"),
            ("location", "/elsewhere"),
            ("x-internal", "host-7"),
        ] {
            headers.insert(name, value.parse().unwrap());
        }
        (StatusCode::from_u16(says.status).unwrap(), headers, says.body)
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    let router = axum::Router::new().fallback(answer).with_state(Says { status, body });
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{addr}/")
}

fn forward(to: &str) -> String {
    format!(
        "{}[[forward]]\nname = 'app'\nfrom = 'asks'\nto = '{to}'\nsign = 'none'\nrespond = true\nattempts = 1\n",
        source(LONG)
    )
}

#[tokio::test]
async fn the_destinations_answer_is_the_senders() {
    let database = database().await;
    let pool = database.pool().await;
    let body = vec![0xff_u8; 256 * 1024];
    let gateway = start(&database, &forward(&destination(203, body.clone()).await), vec![]).await;
    let to = gateway.ingest_addr().unwrap();
    let signed = request("evt_1");
    let mut asked = crate::support::gateway::client().post(format!("http://{to}/in/asks")).body(signed.body.clone());
    for (name, value) in signed.headers.iter() {
        asked = asked.header(name, value);
    }
    let answer = asked.send().await.expect("an answer");
    assert_eq!(answer.status(), 203);
    let headers = answer.headers().clone();
    assert_eq!(
        (&headers["content-type"], &headers["content-language"]),
        (&"application/vnd.answer+json".parse().unwrap(), &"fr".parse().unwrap())
    );
    for name in ["set-cookie", "location", "x-internal"] {
        assert!(!headers.contains_key(name), "{name} was passed on");
    }
    assert_eq!(answer.bytes().await.expect("a body"), body);
    assert_eq!(count(&pool, "answers").await, 1);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_huge_answer_is_not_relayed_and_the_job_is_done_all_the_same() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, &forward(&destination(200, vec![b'x'; 256 * 1024 + 1]).await), vec![]).await;
    assert_eq!(told(&request("evt_1").send(gateway.ingest_addr().unwrap()).await), FALLBACK);
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    assert_eq!((attempts(&pool).await, count(&pool, "answers").await), (tried(&["ok"]), 0));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_failure_of_the_destination_is_none_of_the_senders_business() {
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, &forward(&destination(500, b"stack trace".to_vec()).await), vec![]).await;
    assert_eq!(told(&request("evt_1").send(gateway.ingest_addr().unwrap()).await), FALLBACK);
    eventually("it is dead", 0, async || unfinished(&pool).await).await;
    assert_eq!(count(&pool, "answers").await, 0);
    gateway.shutdown().await;
}
