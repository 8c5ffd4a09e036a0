//! **Receive**: limits → verify → record → acknowledge.
//!
//! Promise: a 2xx is sent only after the delivery, its receipts and its jobs are committed in one transaction. A refusal
//! writes no row and teaches the sender nothing. What follows is the whole path, in order.

mod address;
pub(crate) mod arrival;
pub(crate) mod body;
mod duplicates;
mod handshake;
pub(crate) mod keys;
mod matching;
mod origin;
pub(crate) mod pairing;
mod patience;
pub(crate) mod record;
pub(crate) mod refusals;
pub(crate) mod reply;
pub(crate) mod respond;
pub(crate) mod secrets;
mod trouble;
pub(crate) mod verify;
pub(crate) mod window;
pub(crate) mod write;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::response::Response;
use axum::routing::any;
use hookgate_providers::Headers;
use http::request::Parts;
use tokio::sync::OwnedSemaphorePermit;

use crate::answers::Answers;
use crate::clock::DatabaseClock;
use crate::config::Network;
use crate::{headers, telemetry};
use address::Address;
use arrival::{Arrival, Known, Wire};
use handshake::Outcome;
use keys::KeyStore;
use origin::Origin;
use pairing::Pairing;
use record::Recorder;
use refusals::Refusals;
use verify::{Accepted, NotAccepted, Source};

/// What the ingest listener works with.
#[derive(Debug)]
pub(crate) struct Ingest {
    pub(crate) sources: HashMap<String, Source>,
    /// `http://` and the listener's address: the URL that is called where nothing says otherwise.
    pub(crate) listens_at: String,
    pub(crate) trusted_proxies: Vec<Network>,
    pub(crate) limits: body::Limits,
    pub(crate) clock: Arc<DatabaseClock>,
    pub(crate) recorder: Recorder,
    pub(crate) refusals: Arc<Refusals>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) keys: Arc<KeyStore>,
    pub(crate) pairing: Arc<Pairing>,
}

/// The one way in.
pub(crate) fn router(ingest: Arc<Ingest>) -> axum::Router {
    axum::Router::new()
        .route("/in/{*address}", any(receive))
        .fallback(async || reply::unknown_source())
        .with_state(ingest)
}

/// One webhook, in a straight line.
async fn receive(
    State(ingest): State<Arc<Ingest>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let started = Instant::now();
    let (parts, body) = request.into_parts();
    let (source, (mut response, outcome)) = ingest.take(peer, started, &parts, body).await;
    if parts.method == http::Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    // Only configured names become labels: a sender can't make new ones.
    let label = source.map_or("unknown", |source| &source.name).to_owned();
    metrics::counter!(telemetry::REQUESTS, "source" => label, "outcome" => outcome).increment(1);
    metrics::histogram!(telemetry::ACK_SECONDS).record(started.elapsed());
    response
}

/// An answer, and the word for it.
type Answered = (Response, &'static str);

/// A request whose path leads to a source.
struct Call<'r> {
    source: &'r Source,
    parts: &'r Parts,
    headers: Headers,
    origin: Origin,
    /// The request target as received.
    target: &'r str,
    /// The same without a key.
    kept_target: String,
    /// When its head was here.
    started: Instant,
}

impl Ingest {
    async fn take(&self, peer: SocketAddr, started: Instant, parts: &Parts, body: Body) -> (Option<&Source>, Answered) {
        let headers = received_headers(&parts.headers);
        let host = parts.uri.authority().map(|authority| authority.as_str());
        let host =
            host.or_else(|| headers.single("host").ok().flatten().and_then(|host| std::str::from_utf8(host).ok()));
        let origin = origin::origin(peer, &headers, host, &self.trusted_proxies);
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());

        // Before the body is read: a stranger's bytes cost nothing.
        let address = Address::of(parts.uri.path());
        let found = address.and_then(|address| Some((address, self.sources.get(address.name)?)));
        let Some((address, source)) = found else {
            self.refusals.note(None, "unknown_source", Some(origin.client), self.clock.now(), 0, []);
            return (None, (reply::unknown_source(), "unknown_source"));
        };
        let call = |kept_target| Call { source, parts, headers, origin, target, kept_target, started };
        let answered = match source.door.admit(address, target) {
            Ok(kept_target) => self.admitted(&call(kept_target), body).await,
            // The sender can't tell it from an unknown source; the operator can.
            Err(missed) => self.refused(&call(String::new()), reply::unknown_source(), missed.as_str(), 0),
        };
        (Some(source), answered)
    }

    async fn admitted(&self, call: &Call<'_>, body: Body) -> Answered {
        let Call { source, parts, .. } = call;
        if !source.methods.contains(&parts.method.as_str()) {
            return self.refused(call, reply::method_not_allowed(&source.allow), "method_not_allowed", 0);
        }
        let (body, memory) = match self.limits.read(&parts.headers, body, source.max_body).await {
            Ok(read) => read,
            Err(why) => return self.refused(call, reply::unread(why), why.as_str(), 0),
        };
        let base = source.public_url.as_ref().or(call.origin.base.as_ref()).unwrap_or(&self.listens_at);
        let url = format!("{base}{}", call.target);
        let request = hookgate_providers::Request {
            method: parts.method.as_str(),
            url: &url,
            headers: &call.headers,
            body: &body,
        };
        let mut judged = source.judge(&request, self.clock.now(), &self.keys).await;
        // It may be signed with a secret that another gateway took just now.
        if judged.as_ref().is_err_and(|why| why.is_of_secret()) && self.pairing.look_again(&source.name).await {
            judged = source.judge(&request, self.clock.now(), &self.keys).await;
        }
        match judged {
            Ok(Accepted::Delivery { verified, secret }) => {
                let known = Known { provider: &source.provider, verified: &verified, secret };
                self.record(call, body, memory, known).await
            }
            Ok(Accepted::Handshake(reply)) => match handshake::answer(source, &self.keys, &self.pairing, reply).await {
                (response, outcome @ Outcome::Answered) => (response, outcome.as_str()),
                (response, outcome) => self.refused(call, response, outcome.as_str(), body.len()),
            },
            Err(why @ NotAccepted::KeyUnavailable) => {
                self.refused(call, reply::retry_later(), why.as_str(), body.len())
            }
            Err(why) => {
                let (response, _) = self.refused(call, reply::refused(&source.refusal), why.as_str(), body.len());
                (response, "refused")
            }
        }
    }

    async fn record(
        &self,
        call: &Call<'_>,
        body: bytes::Bytes,
        memory: OwnedSemaphorePermit,
        known: Known<'_>,
    ) -> Answered {
        let wire = Wire {
            method: call.parts.method.to_string(),
            target: call.kept_target.clone(),
            content_type: call.headers.single("content-type").ok().flatten().map(lossless),
            headers: headers::encode(&call.headers),
            body,
        };
        let arrival = Arrival::new(self.clock.stamp(), Arc::clone(&call.source.name), wire, known);
        match self.recorder.record(arrival, memory).await {
            Ok(recorded) => {
                let response = match respond::await_answer(&self.answers, call, &recorded).await {
                    Some(answer) => reply::answered(&recorded, &answer),
                    None => reply::recorded(&recorded, &call.source.acknowledgement),
                };
                (response, recorded.status.as_str())
            }
            Err(why) => (reply::not_durable(why), "not_durable"),
        }
    }

    /// Notes for the operator why the sender is answered so.
    fn refused(&self, call: &Call<'_>, response: Response, why: &'static str, read: usize) -> Answered {
        let names = call.headers.iter().map(|(name, _)| name);
        let client = Some(call.origin.client);
        self.refusals.note(Some(&call.source.name), why, client, self.clock.now(), read as u64, names);
        (response, why)
    }
}

/// The headers in the order they came; hyper has lower-cased their names.
fn received_headers(map: &http::HeaderMap) -> Headers {
    let mut headers = Headers::new();
    for (name, value) in map {
        headers.push(name.as_str(), value.as_bytes());
    }
    headers
}

fn lossless(value: &[u8]) -> String {
    value.escape_ascii().to_string()
}
