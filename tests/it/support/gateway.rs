//! A gateway in this process, on ports of its own, over the test's database.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use hookgate::config::{Config, Mode, ProcessRole};
use hookgate::{Gateway, Handler, Running};
use hookgate_providers::{Headers, Secret, Unsigned, find, sign};
use sha2::{Digest, Sha256};

use super::postgres::TestDatabase;

/// Secrets of the sources in [`SOURCES`].
pub(crate) const GITHUB_SECRET: &str = "It's a Secret to Everybody";
pub(crate) const STRIPE_SECRET: &str = "whsec_test_secret_of_stripe";
pub(crate) const STANDARD_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// For tests about workers that are taken for dead.
pub(crate) const SHORT_LEASE: Duration = Duration::from_secs(2);

/// Three sources that every test has. Short times, so that a test waits for events and not for seconds; but a lease that
/// no busy machine lets run out: a test about leases takes [`SHORT_LEASE`].
const SOURCES: &str = r#"
[server]
ingest = "127.0.0.1:0"
operator = "127.0.0.1:0"
shutdown_grace = "5s"
[worker]
poll = "200ms"
heartbeat = "300ms"
lease = "10s"
[source.github]
provider = "github"
secrets = [{ literal = "It's a Secret to Everybody" }]
[source.stripe]
provider = "stripe"
secrets = [{ literal = "whsec_test_secret_of_stripe" }]
[source.standard]
provider = "standard-webhooks"
secrets = [{ literal = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }]
"#;

/// The configuration of a test's gateway: the sources above, the test's database, and `more` TOML. `more` may begin with
/// dotted keys of the top level and go on with tables.
pub(crate) fn config(database: &TestDatabase, more: &str) -> Config {
    let toml = toml(database, more);
    Config::from_toml(&toml, &BTreeMap::new(), Mode::Dev).unwrap_or_else(|error| panic!("{error}\n{toml}"))
}

/// The same, told that a pooler in transaction mode is between.
pub(crate) fn pooled(through: &TestDatabase, more: &str) -> Config {
    let mut config = config(through, more);
    (config.database.pooler, config.database.listen) = (true, false);
    config
}

/// The same as text, for a gateway in another process.
pub(crate) fn toml(database: &TestDatabase, more: &str) -> String {
    format!("{more}\n{SOURCES}\n[database]\nurl = {:?}\n", database.url())
}

/// Starts a gateway with all roles.
pub(crate) async fn start(database: &TestDatabase, more: &str, handlers: Vec<Handler>) -> Running {
    start_with(config(database, more), handlers).await
}

/// Starts a gateway that only receives.
pub(crate) async fn start_receiving(database: &TestDatabase, more: &str) -> Running {
    let mut config = config(database, more);
    config.server.roles = [ProcessRole::Ingest].into();
    start_with(config, Vec::new()).await
}

/// Starts a gateway with a configuration of the test's own.
pub(crate) async fn start_with(config: Config, handlers: Vec<Handler>) -> Running {
    let builder = handlers.into_iter().fold(Gateway::builder().config(config), |b, handler| b.handler(handler));
    builder.start().await.expect("start the gateway")
}

/// A request as its provider would send it now.
#[derive(Debug, Clone)]
pub(crate) struct Signed {
    pub(crate) source: &'static str,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Signed {
    /// A GitHub event with this delivery id.
    pub(crate) fn github(id: &str, event: &str, body: impl Into<Vec<u8>>) -> Self {
        let mut headers = Headers::new();
        headers.push("x-github-event", event);
        headers.push("content-type", "application/json");
        Self::new("github", "github", GITHUB_SECRET, headers, id, body.into())
    }

    /// A Stripe event; its id is in the body.
    pub(crate) fn stripe(body: impl Into<Vec<u8>>) -> Self {
        let mut headers = Headers::new();
        headers.push("content-type", "application/json");
        Self::new("stripe", "stripe", STRIPE_SECRET, headers, "", body.into())
    }

    /// A Stripe event signed at another time, in Unix seconds.
    pub(crate) fn stripe_at(body: impl Into<Vec<u8>>, at: i64) -> Self {
        Self::signed_at("stripe", "stripe", STRIPE_SECRET, Headers::new(), "", body.into(), at)
    }

    /// A Stripe event of this id and type about this object.
    pub(crate) fn stripe_event(id: &str, event: &str, object: &str) -> Self {
        let body = serde_json::json!({
            "id": id, "object": "event", "type": event, "created": 1_700_000_000,
            "data": {"object": {"id": object}},
        });
        Self::stripe(body.to_string())
    }

    /// A GoCardless request; its events and their ids are in the body. No source of this name is there by itself.
    pub(crate) fn gocardless(body: impl Into<Vec<u8>>) -> Self {
        Self::new("gocardless", "gocardless", GITHUB_SECRET, Headers::new(), "", body.into())
    }

    /// A Standard Webhooks message with this id.
    pub(crate) fn standard(id: &str, body: impl Into<Vec<u8>>) -> Self {
        let mut headers = Headers::new();
        headers.push("content-type", "application/json");
        Self::new("standard", "standard-webhooks", STANDARD_SECRET, headers, id, body.into())
    }

    /// A Standard Webhooks message signed at another time, in Unix seconds.
    pub(crate) fn standard_at(id: &str, body: impl Into<Vec<u8>>, at: i64) -> Self {
        Self::signed_at("standard", "standard-webhooks", STANDARD_SECRET, Headers::new(), id, body.into(), at)
    }

    /// The same request to another source of the same provider and secret.
    pub(crate) fn to(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// The same request with one more header, which no provider here signs.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push(name, value);
        self
    }

    /// SHA-256 of the body.
    pub(crate) fn sha256(&self) -> Vec<u8> {
        Sha256::digest(&self.body).to_vec()
    }

    fn new(source: &'static str, provider: &str, secret: &str, headers: Headers, id: &str, body: Vec<u8>) -> Self {
        Self::signed_at(source, provider, secret, headers, id, body, chrono::Utc::now().timestamp())
    }

    fn signed_at(
        source: &'static str,
        provider: &str,
        secret: &str,
        mut headers: Headers,
        id: &str,
        body: Vec<u8>,
        now: i64,
    ) -> Self {
        let provider = find(provider).expect("a provider of this name");
        let url = format!("http://127.0.0.1/in/{source}");
        let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body: &body, id, now };
        let added = sign(provider, &unsigned, &Secret::new(secret).expect("a secret")).expect("sign");
        for (name, value) in added.iter() {
            headers.push(name, value);
        }
        Self { source, headers, body }
    }

    /// Posts it.
    pub(crate) async fn send(&self, to: SocketAddr) -> Answer {
        self.try_send(to).await.expect("an answer")
    }

    /// Posts it; `None` if the connection ended without an answer.
    pub(crate) async fn try_send(&self, to: SocketAddr) -> Option<Answer> {
        let mut request = client().post(format!("http://{to}/in/{}", self.source)).body(self.body.clone());
        for (name, value) in self.headers.iter() {
            request = request.header(name, value);
        }
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let text = response.text().await.ok()?;
        let json = serde_json::from_str(&text).unwrap_or_default();
        Some(Answer { status, headers, text, json })
    }
}

/// What the gateway answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) text: String,
    pub(crate) json: serde_json::Value,
}

impl Answer {
    /// `accepted`, `duplicate`, ….
    pub(crate) fn outcome(&self) -> &str {
        self.json["status"].as_str().unwrap_or(&self.text)
    }

    /// The delivery id, as text.
    pub(crate) fn id(&self) -> &str {
        self.json["id"].as_str().expect("an id")
    }
}

/// The HTTP client of all tests, since making one takes a debug build long. It keeps no connection: each is of the
/// runtime of the test that made it.
pub(crate) fn client() -> &'static reqwest::Client {
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    CLIENT.get_or_init(|| {
        // rustls wants its crypto provider named, even where nothing is https.
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::builder().pool_max_idle_per_host(0).build().expect("a client")
    })
}
