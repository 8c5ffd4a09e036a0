//! Promise 9: a refusal teaches the sender nothing; the operator gets the reason.

use hookgate::on;
use hookgate_providers::Headers;

use crate::support::gateway::{GITHUB_SECRET, STANDARD_SECRET, STRIPE_SECRET, Signed, start};
use crate::support::metric;
use crate::support::postgres::database;
use crate::support::rows::{count, every_count};
use crate::support::wire::{RawAnswer, exchange};
use crate::support::witness::witness;

const BODY: &str = r#"{"id": "evt_1", "type": "invoice.paid"}"#;

/// Sources of this file's own, since every test of the process shares the metrics.
fn sources() -> String {
    [("guarded-github", "github", GITHUB_SECRET), ("guarded-stripe", "stripe", STRIPE_SECRET)]
        .iter()
        .chain(&[("guarded-standard", "standard-webhooks", STANDARD_SECRET)])
        .map(|(name, provider, secret)| {
            format!("[source.{name}]\nprovider = {provider:?}\nsecrets = [{{ literal = {secret:?} }}]\n")
        })
        .collect()
}

/// A good request, and the header with its signature.
fn good() -> [(Signed, &'static str); 3] {
    [
        (Signed::github("id-1", "push", BODY).to("guarded-github"), "x-hub-signature-256"),
        (Signed::stripe(BODY).to("guarded-stripe"), "stripe-signature"),
        (Signed::standard("id-1", BODY).to("guarded-standard"), "webhook-signature"),
    ]
}

fn without(headers: &Headers, name: &str) -> Headers {
    headers.iter().filter(|(other, _)| *other != name).collect()
}

fn value(headers: &Headers, name: &str) -> String {
    String::from_utf8(headers.single(name).expect("once").expect("there").to_vec()).expect("text")
}

/// Ways of being wrong, each said in headers and body.
fn spoiled(good: &Signed, signature: &str) -> Vec<(&'static str, Signed)> {
    let right = value(&good.headers, signature);
    // The last character may be padding; the one in the middle is the signature's.
    let middle = right.len() - 20;
    let flipped = if right.as_bytes()[middle] == b'a' { "b" } else { "a" };
    let wrong = format!("{}{flipped}{}", &right[..middle], &right[middle + 1..]);
    let unsigned = without(&good.headers, signature);
    let with = |text: &str| {
        let mut headers = unsigned.clone();
        headers.push(signature, text);
        Signed { headers, ..good.clone() }
    };
    let mut both = good.headers.clone();
    both.push(signature, wrong.as_str());
    let mut twice = good.headers.clone();
    twice.push(signature, right.as_str());
    vec![
        ("missing", Signed { headers: unsigned.clone(), ..good.clone() }),
        ("empty", with("")),
        ("malformed", with("sha256=zz,t=,v1=,,=")),
        ("cut", with(&right[..right.len() - 4])),
        ("wrong", with(&wrong)),
        ("another body", Signed { body: BODY.replace("paid", "void").into(), ..good.clone() }),
        ("good and bad", Signed { headers: both, ..good.clone() }),
        ("twice the same", Signed { headers: twice, ..good.clone() }),
    ]
}

/// Signed rightly, long ago or far ahead: by providers that sign a time.
fn stale() -> Vec<(&'static str, Signed)> {
    let now = chrono::Utc::now().timestamp();
    [("stale", now - 3600), ("ahead", now + 3600)]
        .into_iter()
        .flat_map(|(how, at)| {
            [
                (how, Signed::stripe_at(BODY, at).to("guarded-stripe")),
                (how, Signed::standard_at("id-1", BODY, at).to("guarded-standard")),
            ]
        })
        .collect()
}

fn raw(request: &Signed) -> Vec<u8> {
    let mut text =
        format!("POST /in/{} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n", request.source, request.body.len())
            .into_bytes();
    for (name, value) in request.headers.iter() {
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value);
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"\r\n");
    text.extend_from_slice(&request.body);
    text
}

#[tokio::test]
async fn missing_malformed_wrong_stale_and_repeated_signatures_are_answered_alike_and_leave_no_row() {
    metric::counting();
    let database = database().await;
    let pool = database.pool().await;
    let gateway = start(&database, &sources(), vec![witness(on("*", &["*"]).name("all")).0]).await;
    let to = gateway.ingest_addr().unwrap();
    let before = every_count(&pool).await;

    let mut refused: Vec<(&str, Signed)> = stale();
    for (good, signature) in &good() {
        refused.extend(spoiled(good, signature));
    }
    let mut first: Option<RawAnswer> = None;
    for (how, request) in &refused {
        let answer = exchange(to, &raw(request)).await;
        assert_eq!(answer.status, 401, "{how} at {}", request.source);
        let expected = first.get_or_insert_with(|| answer.clone());
        assert_eq!(&answer, expected, "{how} at {} is told apart", request.source);
    }
    let told = first.unwrap();
    assert_eq!(told.body, "unauthorized");
    assert!(told.header("hookgate-delivery-id").is_none());
    assert_eq!(every_count(&pool).await, before, "a refusal left a row");

    // The operator can tell them apart.
    let refusals = |source: &str, reason: &str| {
        metric::counter(&format!("hookgate_refusals_total{{source=\"{source}\",reason=\"{reason}\"}}"))
    };
    let expected = [
        ("guarded-github", "signature_missing", 2),
        ("guarded-github", "signature_malformed", 1),
        ("guarded-github", "signature_mismatch", 3),
        ("guarded-github", "header_repeated", 2),
        ("guarded-stripe", "timestamp_too_old", 1),
        ("guarded-stripe", "timestamp_in_future", 1),
        ("guarded-standard", "timestamp_too_old", 1),
        ("guarded-standard", "timestamp_in_future", 1),
        ("guarded-standard", "header_repeated", 2),
    ];
    for (source, reason, n) in expected {
        assert_eq!(refusals(source, reason), n, "{reason} at {source}");
    }

    // A forger reserved nothing: the genuine ones, sent after all the forged ones of the same id, are new.
    for (good, _) in good() {
        assert_eq!(good.send(to).await.outcome(), "accepted", "{}", good.source);
    }
    assert_eq!(count(&pool, "deliveries").await, 3);
    gateway.shutdown().await;
}
