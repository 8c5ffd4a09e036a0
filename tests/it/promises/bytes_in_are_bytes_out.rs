//! Promise 10: bytes in = bytes kept = bytes forwarded.

use hookgate_providers::{Request, Secret, Verdict, find, verify};

use crate::support::destination::{Arrived, Destination};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::postgres::database;
use crate::support::rows::{count, deliveries};

/// What the destinations verify with; another secret than the source's.
const FORWARD_SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

fn forward(to: &Destination, more: &str) -> String {
    format!(
        "[[forward]]\nname = \"app\"\nfrom = \"*\"\nto = {:?}\nsecret = {{ literal = {FORWARD_SECRET:?} }}\n{more}\n",
        to.url()
    )
}

/// Bodies that a parser, a text column or a JSON column would change or refuse.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let nested = |open: &str, n| open.repeat(n).into_bytes();
    vec![
        ("empty", vec![]),
        ("JSON", br#"{ "type":"a.b",  "n": 1.10, "n": -0 }"#.to_vec()),
        ("NUL escaped", br#"{"type": "a\u0000b", "data": {"id": "x\u0000y"}}"#.to_vec()),
        ("NUL", b"{\"a\": \"x\0y\"}".to_vec()),
        ("invalid UTF-8", b"{\"name\": \"caf\xe9\"}".to_vec()),
        ("broken JSON", br#"{"a": [1, 2"#.to_vec()),
        ("BOM", b"\xef\xbb\xbf{\"type\": \"a\"}".to_vec()),
        ("UTF-16", "{\"a\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("null", b"null".to_vec()),
        ("lone surrogates", br#"{"type": "\ud800", "data": {"id": "\udfff\ud800"}}"#.to_vec()),
        ("deep arrays", nested("[", 100_000)),
        ("deep objects", nested(r#"{"a":"#, 50_000)),
        ("numbers", br#"{"data": {"id": 9007199254740993}, "x": 1e400, "y": -0, "z": 1.10}"#.to_vec()),
        ("two ids", br#"{"id": "a", "id": "b"}"#.to_vec()),
        ("CRLF and blanks", b"\r\n {\"a\":\t1 }\r\n".to_vec()),
        ("every byte", (0..=255).cycle().take(70_000).collect()),
        ("larger than a chunk", vec![b'7'; 1_500_000]),
    ]
}

#[tokio::test]
async fn whatever_the_bytes_they_are_stored_and_forwarded_as_received() {
    let database = database().await;
    let pool = database.pool().await;
    let mut destination = Destination::answering(&[]).await;
    let gateway = start(&database, &forward(&destination, ""), vec![]).await;
    for (what, body) in bodies() {
        let sent = Signed::standard(&format!("msg {what}"), body.clone());
        let answer = sent.send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{what}: {}", answer.text);
        let arrived = destination.next().await;
        assert_eq!(arrived.sha256(), sent.sha256(), "{what}: other bytes arrived");
        assert_eq!(arrived.header("content-length"), Some(body.len().to_string()), "{what}");
        let stored = deliveries(&pool).await.pop().expect("a delivery");
        assert_eq!((stored.id.to_string().as_str(), stored.sha256), (answer.id(), sent.sha256()), "{what}");
        assert!(!stored.event_type.is_some_and(|text| text.contains('\0')), "{what}");
    }
    gateway.shutdown().await;
}

/// The id that the signature of a Standard Webhooks request vouches for.
fn verified_id(arrived: &Arrived, secret: &str) -> Option<String> {
    let request = Request { method: "POST", url: "http://app/hooks", headers: &arrived.headers, body: &arrived.body };
    let secret = Secret::new(secret).expect("a secret");
    let now = chrono::Utc::now().timestamp();
    match verify(find("standard-webhooks").expect("the provider"), &request, &[secret], now) {
        Ok(Verdict::Delivery(verified)) => verified.events()[0].delivery_id.clone(),
        _ => None,
    }
}

#[tokio::test]
async fn a_forward_says_what_it_carries_and_its_signature_verifies() {
    let database = database().await;
    let mut destination = Destination::answering(&[]).await;
    let gateway = start(&database, &forward(&destination, "order = \"lane\""), vec![]).await;
    let sent = Signed::stripe_event("evt_1", "invoice.paid", "in_1")
        .with("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        .with("x-request-id", "req-1")
        .with("hookgate-replay", "forged")
        .with("webhook-id", "forged")
        .with("connection", "x-hop")
        .with("x-hop", "1");
    let answer = sent.send(gateway.ingest_addr().unwrap()).await;

    let arrived = destination.next().await;

    assert_eq!((arrived.method.as_str(), arrived.path.as_str()), ("POST", "/hooks"));
    let key = arrived.header("idempotency-key").expect("a key");
    let expected = [
        ("content-type", "application/json"),
        ("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
        ("x-request-id", "req-1"),
        ("webhook-id", &key),
        ("hookgate-source", "stripe"),
        ("hookgate-event", "invoice.paid"),
        ("hookgate-delivery-id", answer.id()),
        ("hookgate-attempt", "1"),
        ("hookgate-lane", "in_1"),
        ("hookgate-replay", "false"),
    ];
    for (name, value) in expected {
        assert_eq!(arrived.header(name).as_deref(), Some(value), "{name}");
    }
    assert!(arrived.header("stripe-signature").is_some(), "the provider's own signature passes");
    assert!(arrived.header("hookgate-sequence").expect("a sequence").parse::<i64>().is_ok());
    assert_eq!(arrived.header("x-hop"), None);
    assert_eq!(verified_id(&arrived, FORWARD_SECRET), Some(key), "signed for the destination");
    assert_eq!(verified_id(&arrived, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), None, "by no other secret");
    gateway.shutdown().await;
}

#[tokio::test]
async fn only_a_2xx_is_success_and_a_redirect_is_not_followed() {
    let database = database().await;
    let pool = database.pool().await;
    let mut destination = Destination::answering(&[302, 500, 307, 404]).await;
    let more = "backoff_base = \"10ms\"\nbackoff_cap = \"20ms\"\n";
    let gateway = start(&database, &forward(&destination, more), vec![]).await;
    let sent = Signed::github("id-1", "push", "{}");
    sent.send(gateway.ingest_addr().unwrap()).await;

    let mut keys = Vec::new();
    for attempt in 1..=5 {
        let arrived = destination.next().await;
        assert_eq!(arrived.path, "/hooks", "a redirect was followed");
        assert_eq!(arrived.method, "POST");
        assert_eq!(arrived.header("hookgate-attempt"), Some(attempt.to_string()));
        assert_eq!(arrived.sha256(), sent.sha256());
        keys.push(verified_id(&arrived, FORWARD_SECRET).expect("signed afresh"));
    }
    keys.dedup();
    assert_eq!(keys.len(), 1, "the downstream key is the same on every try");
    eventually("it is done", (0, 0), async || (count(&pool, "jobs").await, count(&pool, "dead").await)).await;
    let attempts: Vec<(String, i16)> = sqlx::query_as("select outcome, status from hookgate.attempts order by attempt")
        .fetch_all(&pool)
        .await
        .unwrap();
    let expected = [("failed", 302), ("failed", 500), ("failed", 307), ("failed", 404), ("ok", 204)];
    assert_eq!(attempts, expected.map(|(outcome, status)| (outcome.to_owned(), status)));
    gateway.shutdown().await;
    assert!(!destination.has_more(), "sent more than five times");
}
