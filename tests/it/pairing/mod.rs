//! Secrets that a provider sends in a handshake: taken when the operator waits for one, kept sealed, live everywhere.

mod capture;
mod sealed;
mod windows;

use std::net::SocketAddr;

use hookgate::Running;
use hookgate_providers::{Headers, Secret, Unsigned, find, sign};
use serde_json::{Value, json};

use crate::support::gateway::{Answer, client, start};
use crate::support::postgres::TestDatabase;

/// 32 bytes each.
const KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const OTHER_KEY: &str = "ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";

/// What the provider chooses.
const OFFERED: &str = "b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81";

/// A provider that sends its secret, and how.
#[derive(Debug, Clone, Copy)]
struct Pairable {
    provider: &'static str,
    /// Header of the secret; without it, it is `verification_token` of the body.
    header: Option<&'static str>,
    /// An event's body.
    event: &'static str,
}

/// Those that this release has.
fn pairable() -> Vec<Pairable> {
    let all = [
        Pairable {
            provider: "asana",
            header: Some("x-hook-secret"),
            event: r#"{"events":[{"action":"changed","resource":{"gid":"1","resource_type":"task"}}]}"#,
        },
        Pairable {
            provider: "clio",
            header: Some("x-hook-secret"),
            event: r#"{"data":{"id":1},"meta":{"event":"updated","webhook_id":1}}"#,
        },
        Pairable {
            provider: "notion",
            header: None,
            event: r#"{"id":"n1","type":"page.created","entity":{"id":"p1"}}"#,
        },
    ];
    let there = all.into_iter().filter(|case| find(case.provider).is_some_and(|p| p.offers_secrets()));
    there.collect()
}

impl Pairable {
    /// A source `paired` without a secret of its own, and the gateway's sealing keys.
    fn source(&self, keys: &str) -> String {
        format!("[secrets]\n{keys}\n[source.paired]\nprovider = {:?}\nsecrets = []\n", self.provider)
    }

    /// The handshake.
    async fn offer(&self, to: SocketAddr, secret: &str) -> Answer {
        let (headers, body) = match self.header {
            Some(name) => (vec![(name, secret)], "{}".to_owned()),
            None => (Vec::new(), json!({ "verification_token": secret }).to_string()),
        };
        post(to, &headers, body).await
    }

    /// Whether the handshake was answered exactly as the provider wants it.
    fn is_answered(&self, answer: &Answer, secret: &str) -> bool {
        let header =
            self.header.map(|name| answer.headers.get(name).map(|value| value.as_bytes()) == Some(secret.as_bytes()));
        answer.status == 200 && answer.text.is_empty() && header.unwrap_or(true)
    }

    /// An event signed with this secret.
    async fn deliver(&self, to: SocketAddr, secret: &str) -> Answer {
        let headers = Headers::new();
        let unsigned = Unsigned {
            method: "POST",
            url: "http://127.0.0.1/in/paired",
            headers: &headers,
            body: self.event.as_bytes(),
            id: "",
            now: chrono::Utc::now().timestamp(),
        };
        let signed = sign(find(self.provider).unwrap(), &unsigned, &Secret::new(secret).unwrap()).unwrap();
        let headers: Vec<(&str, &str)> =
            signed.iter().map(|(name, value)| (name, std::str::from_utf8(value).unwrap())).collect();
        post(to, &headers, self.event.to_owned()).await
    }
}

async fn post(to: SocketAddr, headers: &[(&str, &str)], body: String) -> Answer {
    let request = client().post(format!("http://{to}/in/paired")).header("content-type", "application/json");
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let response = request.body(body).send().await.expect("an answer");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.expect("a body");
    Answer { status, headers, json: serde_json::from_str(&text).unwrap_or(Value::Null), text }
}

fn current(key: &str) -> String {
    format!("sealing_key = {{ literal = {key:?} }}")
}

async fn gateway(database: &TestDatabase, case: Pairable) -> Running {
    start(database, &case.source(&current(KEY)), vec![]).await
}

fn ingest(gateway: &Running) -> SocketAddr {
    gateway.ingest_addr().expect("it receives")
}

/// A call of the operator API: the status and what was answered.
async fn operate(gateway: &Running, path: &str, body: Value) -> (u16, Value) {
    let url = format!("http://{}/api/v1/{path}", gateway.operator_addr().expect("operators are answered"));
    let answer = client().post(url).json(&body).send().await.expect("an answer");
    (answer.status().as_u16(), answer.json().await.expect("JSON"))
}

async fn see(gateway: &Running, path: &str) -> Value {
    let url = format!("http://{}/api/v1/{path}", gateway.operator_addr().expect("operators are answered"));
    client().get(url).send().await.expect("an answer").json().await.expect("JSON")
}

async fn open(gateway: &Running) {
    let (status, opened) = operate(gateway, "sources/paired/pair", json!({ "for": "10m" })).await;
    assert_eq!(status, 200, "{opened}");
}

/// Why this process refused last.
async fn last_refusal(gateway: &Running) -> String {
    see(gateway, "refusals").await["items"][0]["reason"].as_str().unwrap_or_default().to_owned()
}
