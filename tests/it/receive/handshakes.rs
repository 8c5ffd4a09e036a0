//! Requests that ask for an answer: answered exactly, bounded, refused when wrong, and never recorded.

use hookgate_providers::{Headers, Secret, Unsigned, find, sign};

use super::call::{Call, SECRET, source, source_with};
use crate::support::gateway::start_receiving;
use crate::support::metric;
use crate::support::postgres::database;
use crate::support::rows::every_count;

const VERIFY: &str =
    r#"[{ literal = "a-secret-of-32-characters-or-more" }, { literal = "verify:a-token-of-the-operator" }]"#;
const NOSNIFF: &str = "x-content-type-options: nosniff";
const TEXT: &str = "content-type: text/plain";
const JSON: &str = "content-type: application/json";

/// The headers of an answer but the ones that frame it, sorted.
fn declared(headers: &[String]) -> Vec<&str> {
    let framing = |line: &&str| line.starts_with("content-length: ") || line.starts_with("connection: ");
    let mut declared: Vec<&str> = headers.iter().map(String::as_str).filter(|line| !framing(line)).collect();
    declared.sort_unstable();
    declared
}

struct Expected {
    call: Call,
    status: u16,
    headers: &'static [&'static str],
    body: &'static str,
}

fn text(call: Call, body: &'static str) -> Expected {
    Expected { call, status: 200, headers: &[TEXT, NOSNIFF], body }
}

fn json(call: Call, body: &'static str) -> Expected {
    Expected { call, status: 200, headers: &[JSON, NOSNIFF], body }
}

fn empty(call: Call, status: u16) -> Expected {
    Expected { call, status, headers: &[], body: "" }
}

/// The hashes are those of `printf '…' | openssl dgst -sha256 [-hmac SECRET]`.
fn handshakes() -> Vec<(&'static str, Expected)> {
    let get = |target: &str| Call::new("GET", target);
    let code = format!("/in/azure-event-grid?code={SECRET}");
    let options = Call::new("OPTIONS", &code).with("webhook-request-origin", "eventgrid.azure.net");
    let grid = r#"[{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"v-1"}}]"#;
    let ping = Call::post("/in/github", r#"{"zen":"x"}"#).with("x-github-event", "ping");
    vec![
        ("trello", empty(Call::new("HEAD", "/in/trello"), 200)),
        (
            "meta",
            text(get("/in/meta?hub.mode=subscribe&hub.verify_token=a-token-of-the-operator&hub.challenge=11"), "11"),
        ),
        (
            "strava",
            json(
                get("/in/strava?hub.mode=subscribe&hub.verify_token=a-token-of-the-operator&hub.challenge=c"),
                r#"{"hub.challenge":"c"}"#,
            ),
        ),
        ("websub", text(get("/in/websub?hub.mode=subscribe&hub.topic=a-token-of-the-operator&hub.challenge=ch"), "ch")),
        ("dropbox", text(get("/in/dropbox?challenge=%3Cb%3E"), "<b>")),
        ("fitbit", empty(get("/in/fitbit?verify=a-token-of-the-operator"), 204)),
        ("graph", text(Call::post("/in/graph?validationToken=Validation%3A+1", ""), "Validation: 1")),
        (
            "okta",
            json(
                get("/in/okta").with("authorization", SECRET).with("x-okta-verification-challenge", "q"),
                r#"{"verification":"q"}"#,
            ),
        ),
        ("azure-event-grid", json(Call::post(&code, grid), r#"{"validationResponse":"v-1"}"#)),
        (
            "azure-event-grid",
            Expected {
                call: options,
                status: 200,
                headers: &["webhook-allowed-origin: eventgrid.azure.net", "webhook-allowed-rate: *"],
                body: "",
            },
        ),
        ("github", empty(ping.signed("github", "http://gate.test"), 200)),
    ]
}

#[tokio::test]
async fn each_is_answered_exactly_and_leaves_no_row() {
    metric::counting();
    let database = database().await;
    let mut providers: Vec<&str> =
        handshakes().iter().map(|(provider, _)| *provider).filter(|p| *p != "github").collect();
    providers.dedup();
    let takes_token = |provider: &str| matches!(provider, "meta" | "strava" | "websub" | "fitbit");
    let sources: String = providers
        .iter()
        .map(|name| if takes_token(name) { source_with(name, name, VERIFY, "") } else { source(name, name, "") })
        .chain([source("x-twitter", "x-twitter", ""), source("linkedin", "linkedin", "")])
        .collect();
    let sources = sources
        + "[source.hub]\nprovider = \"github\"\nsecrets = [{ literal = \"a-secret-of-32-characters-or-more\" }]\n";
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let before = every_count(&database.pool().await).await;
    for (provider, expected) in handshakes() {
        let mut call = expected.call;
        call.target = call.target.replace("/in/github", "/in/hub");
        let answer = call.send(to).await;
        let found = (answer.status, declared(&answer.headers), answer.body.as_str());
        assert_eq!(found, (expected.status, expected.headers.to_vec(), expected.body), "{provider}");
    }
    // An answer that is a MAC is the signature of the same text.
    let answer = Call::new("GET", "/in/x-twitter?crc_token=abc123").send(to).await;
    let unsigned =
        Unsigned { method: "POST", url: "http://x", headers: &Headers::new(), body: b"abc123", id: "", now: 0 };
    let signed = sign(find("x-twitter").unwrap(), &unsigned, &Secret::new(SECRET).unwrap()).unwrap();
    let signature = String::from_utf8(signed.iter().next().unwrap().1.to_vec()).unwrap();
    assert_eq!(answer.body, format!(r#"{{"response_token":"{signature}"}}"#));
    assert_eq!(declared(&answer.headers), [JSON, NOSNIFF]);
    assert_eq!(every_count(&database.pool().await).await, before);
    let counted = metric::counter("hookgate_handshakes_total{source=\"azure-event-grid\",outcome=\"handshake\"}");
    assert_eq!(counted, 2);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_wrong_one_is_refused_like_anything_else() {
    metric::counting();
    let database = database().await;
    let sources =
        source_with("face", "meta", VERIFY, "") + &source("oracle", "x-twitter", "") + &source("rest", "okta", "");
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let refusal = Call::post("/in/face", "{}").send(to).await;
    assert_eq!((refusal.status, refusal.body.as_str()), (401, "unauthorized"));
    let before = every_count(&database.pool().await).await;
    let event_as_token = "/in/oracle?crc_token=%7B%22for_user_id%22%3A1%7D";
    for target in [
        "/in/face?hub.mode=subscribe&hub.verify_token=another&hub.challenge=11",
        "/in/face?hub.mode=subscribe&hub.challenge=11",
        "/in/face?hub.mode=subscribe&hub.verify_token=a-token-of-the-operator",
        "/in/face?hub.challenge=11",
        "/in/face",
        event_as_token,
        "/in/oracle",
        "/in/rest",
    ] {
        assert_eq!(Call::new("GET", target).send(to).await, refusal, "{target}");
    }
    let okta = Call::new("GET", "/in/rest").with("x-okta-verification-challenge", "q").with("authorization", "wrong");
    assert_eq!(okta.send(to).await, refusal);
    assert_eq!(every_count(&database.pool().await).await, before);
    let reason = metric::counter("hookgate_refusals_total{source=\"face\",reason=\"handshake_refused\"}");
    assert_eq!(reason, 1, "and the operator knows why");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_flood_of_them_is_told_to_wait_and_holds_no_event_up() {
    let database = database().await;
    let gateway = start_receiving(&database, &(source("box", "dropbox", "") + &source("calm", "dropbox", ""))).await;
    let to = gateway.ingest_addr().unwrap();
    let challenge = |source: &str| Call::new("GET", &format!("/in/{source}?challenge=x"));
    let mut answered = 0;
    let limited = loop {
        let answer = challenge("box").send(to).await;
        if answer.status != 200 {
            break answer;
        }
        answered += 1;
        assert!(answered < 5_000, "no end to it");
    };
    assert!(answered >= 100, "{answered}");
    assert_eq!((limited.status, limited.header("retry-after")), (429, Some("1")));
    assert_eq!(challenge("calm").send(to).await.status, 200, "each source has its own measure");
    let event = Call::post("/in/box", r#"{"list_folder":{"accounts":["a"]}}"#).signed("dropbox", "http://gate.test");
    assert_eq!(event.send(to).await.status, 202);
    gateway.shutdown().await;
}
