//! `sign = "provider"`: the destination is sent what the provider would send it now, under the destination's own secret, so
//! an application that verifies the provider keeps its code; whether it is a first try, a retry or a replay.

use chrono::Utc;
use hookgate::Running;
use hookgate_providers::{Headers, Reject, Request, Secret, Unsigned, Verdict, Verified, find, sign, verify};
use serde_json::json;

use crate::support::destination::{Arrived, Destination};
use crate::support::eventually::eventually;
use crate::support::gateway::{Answer, Signed, client, config, start_with};
use crate::support::postgres::{TestDatabase, database};
use crate::support::work::{database_with_effects, last_error, let_time_pass, number};

/// Of a form that all providers here take.
const OURS: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const THEIRS: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const PUBLIC_URL: &str = "https://hooks.example.com/base";

/// A gateway with a source called `sent` of this provider, and a forward that signs as it.
async fn gateway(database: &TestDatabase, provider: &str, to: &str, more: &str) -> Running {
    let forward = format!(
        "[source.sent]\nprovider = '{provider}'\nsecrets = [{{ literal = '{OURS}' }}]\ntolerance = '1d'\n\
         [[forward]]\nname = 'app'\nfrom = 'sent'\nto = '{to}'\nsign = 'provider'\n\
         secret = {{ literal = '{THEIRS}' }}\n{more}\n"
    );
    let mut config = config(database, &forward);
    config.server.public_url = Some(PUBLIC_URL.to_owned());
    start_with(config, Vec::new()).await
}

/// What this provider sent at this time, with an id of its own where it writes one into a header.
fn sent(provider: &str, mut headers: Headers, body: Vec<u8>, at: i64) -> Signed {
    let provider = find(provider).expect("built in");
    let url = format!("{PUBLIC_URL}/in/sent");
    let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body: &body, id: "msg-1", now: at };
    let added = sign(provider, &unsigned, &Secret::new(OURS).expect("a secret")).expect("signed");
    headers.extend(added.iter());
    Signed { source: "sent", headers, body }
}

/// What the destination's own verification says now.
fn verdict(provider: &str, arrived: &Arrived, url: &str, secret: &str) -> Result<Verified, Reject> {
    let request = Request { method: &arrived.method, url, headers: &arrived.headers, body: &arrived.body };
    let provider = find(provider).expect("built in");
    match verify(provider, &request, &[Secret::new(secret).expect("a secret")], Utc::now().timestamp())? {
        Verdict::Delivery(verified) => Ok(verified),
        _ => panic!("{}: no delivery", provider.name),
    }
}

async fn accepted(gateway: &Running, request: &Signed) -> Answer {
    let answer = request.send(gateway.ingest_addr().expect("it receives")).await;
    assert!((200..300).contains(&answer.status), "{} {}", answer.status, answer.text);
    answer
}

#[tokio::test]
async fn the_destination_verifies_each_provider_as_if_it_had_sent_the_request_itself() {
    let webhook_family: Headers = [("content-type", "application/json"), ("webhook-id", "msg-1")].into_iter().collect();
    let cases = [
        ("stripe", None),
        ("github", None),
        ("slack", None),
        ("shopify", None),
        ("svix", None),
        ("svix", Some(webhook_family)),
        ("standard-webhooks", None),
        ("twilio", None),
        ("hubspot", None),
    ];
    for (provider, headers) in cases {
        let database = database().await;
        let mut destination = Destination::answering(&[]).await;
        let url = destination.url();
        let gateway = gateway(&database, provider, &url, "").await;
        let (sample_headers, body) = find(provider).unwrap().samples[0].render("msg-1", Utc::now().timestamp());
        let request = sent(provider, headers.unwrap_or(sample_headers), body, Utc::now().timestamp());
        let request = if provider == "github" { request.with("webhook-id", "forged") } else { request };
        let answer = accepted(&gateway, &request).await;

        let arrived = destination.next().await;
        assert_eq!(arrived.body, request.body, "{provider}");
        let verified = verdict(provider, &arrived, &url, THEIRS).unwrap_or_else(|why| panic!("{provider}: {why}"));
        let received = Arrived { headers: request.headers.clone(), ..arrived.clone() };
        let as_received = verdict(provider, &received, &format!("{PUBLIC_URL}/in/sent"), OURS).expect("accepted");
        assert_eq!(verified.events(), as_received.events(), "{provider}: id, type, key and version are as they were");
        assert!(verdict(provider, &arrived, &url, OURS).is_err(), "{provider}: our secret is not given away by use");
        for (name, _) in arrived.headers.iter().filter(|(name, _)| name.starts_with("webhook-")) {
            assert!(request.headers.single(name) != Ok(None) && provider != "github", "{provider}: {name} is ours");
        }
        let id = answer.headers.get("hookgate-delivery-id").expect("an id").to_str().expect("text");
        assert_eq!(arrived.header("hookgate-delivery-id").as_deref(), Some(id), "{provider}");
        assert!(arrived.header("idempotency-key").is_some(), "{provider}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_replay_of_what_was_signed_long_ago_is_fresh() {
    for provider in ["stripe", "slack", "svix", "hubspot"] {
        let database = database().await;
        let mut destination = Destination::answering(&[]).await;
        let url = destination.url();
        let gateway = gateway(&database, provider, &url, "").await;
        let long_ago = Utc::now().timestamp() - 20 * 3600;
        let (headers, body) = find(provider).unwrap().samples[0].render("msg-1", long_ago);
        let request = sent(provider, headers, body, long_ago);
        let received = Arrived {
            method: "POST".to_owned(),
            path: String::new(),
            headers: request.headers.clone(),
            body: request.body.clone().into(),
        };
        let stale = verdict(provider, &received, &format!("{PUBLIC_URL}/in/sent"), OURS);
        assert_eq!(stale, Err(Reject::TimestampTooOld), "{provider}: or this test shows nothing");
        let answer = accepted(&gateway, &request).await;
        let id = answer.headers.get("hookgate-delivery-id").expect("an id").to_str().expect("text").to_owned();
        assert!(verdict(provider, &destination.next().await, &url, THEIRS).is_ok(), "{provider}");

        let replay = format!("http://{}/api/v1/deliveries/{id}/replay", gateway.operator_addr().expect("an API"));
        let replayed = async || client().post(&replay).json(&json!({"force": true})).send().await.expect("an answer");
        // The first run may not be settled yet, and what runs is not run again.
        eventually("a replay is queued", true, async || {
            let answer: serde_json::Value = replayed().await.json().await.expect("JSON");
            answer["queued"] == json!(["app"])
        })
        .await;
        let again = destination.next().await;
        assert_eq!(again.header("hookgate-replay").as_deref(), Some("true"));
        let verified = verdict(provider, &again, &url, THEIRS);
        assert!(verified.is_ok(), "{provider}: {verified:?}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_retry_is_signed_at_its_own_time() {
    let (database, pool) = database_with_effects().await;
    let mut destination = Destination::answering(&[503]).await;
    let more = "backoff_base = '1h'\nbackoff_cap = '1h'";
    let gateway = gateway(&database, "slack", &destination.url(), more).await;
    let now = Utc::now().timestamp();
    let (headers, body) = find("slack").unwrap().samples[0].render("Ev1", now);
    accepted(&gateway, &sent("slack", headers, body, now)).await;
    let time = |arrived: &Arrived| -> i64 {
        arrived.header("x-slack-request-timestamp").expect("a time").parse().expect("a number")
    };
    let first = destination.next().await;
    let waiting = "select count(*) from hookgate.jobs where state = 'waiting'";
    eventually("it waits", 1, async || number(&pool, waiting).await).await;
    eventually("the next second", true, async || Utc::now().timestamp() > time(&first)).await;
    let_time_pass(&pool).await;
    let second = destination.next().await;
    assert!(time(&second) > time(&first), "{} and {}", time(&second), time(&first));
    assert_eq!(second.header("hookgate-attempt").as_deref(), Some("2"));
    assert!(verdict("slack", &second, &destination.url(), THEIRS).is_ok());
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_request_that_lacks_what_its_provider_signs_is_dead_at_once_and_says_why() {
    let (database, pool) = database_with_effects().await;
    let mut destination = Destination::answering(&[]).await;
    let gateway = gateway(&database, "twilio", &destination.url(), "").await;
    // A body that is no form is signed through its hash in the URL, which the destination's URL has not.
    let body = br#"{"EventType":"onMessageAdded"}"#.to_vec();
    let query = format!("/in/sent?bodySHA256={}", hex(&body));
    let headers: Headers = [("content-type", "application/json")].into_iter().collect();
    let url = format!("{PUBLIC_URL}{query}");
    let unsigned =
        Unsigned { method: "POST", url: &url, headers: &headers, body: &body, id: "", now: Utc::now().timestamp() };
    let added = sign(find("twilio").unwrap(), &unsigned, &Secret::new(OURS).unwrap()).expect("signed");
    let mut request = client().post(format!("http://{}{query}", gateway.ingest_addr().unwrap())).body(body.clone());
    for (name, value) in headers.iter().chain(added.iter()) {
        request = request.header(name, value);
    }
    assert_eq!(request.send().await.expect("an answer").status(), 200);
    let dead = "select count(*) from hookgate.dead where reason = 'permanent'";
    eventually("it is dead", 1, async || number(&pool, dead).await).await;
    let why = last_error(&pool).await;
    assert!(why.contains("cannot be signed as its provider would"), "{why}");
    assert!(!destination.has_more(), "nothing unsigned was sent");
    gateway.shutdown().await;
}

fn hex(body: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(body).iter().map(|byte| format!("{byte:02x}")).collect()
}
