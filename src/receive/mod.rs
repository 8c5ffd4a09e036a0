//! **Receive**: limits → verify → record → acknowledge.
//!
//! Promise: a 2xx is sent only after the delivery, its receipts and its jobs are committed in one transaction. A refusal
//! writes no row and teaches the sender nothing. What follows is the whole path, in order.

pub(crate) mod arrival;
pub(crate) mod body;
mod duplicates;
mod patience;
pub(crate) mod record;
pub(crate) mod refusals;
pub(crate) mod reply;
mod trouble;
pub(crate) mod verify;
pub(crate) mod write;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::rejection::PathRejection;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::response::Response;
use axum::routing::post;
use hookgate_providers::{Headers, Verdict};

use crate::clock::DatabaseClock;
use crate::{headers, telemetry};
use arrival::{Arrival, Wire};
use record::Recorder;
use refusals::Refusals;
use verify::Source;

/// What the ingest listener works with.
#[derive(Debug)]
pub(crate) struct Ingest {
    pub(crate) sources: HashMap<String, Source>,
    pub(crate) limits: body::Limits,
    pub(crate) clock: Arc<DatabaseClock>,
    pub(crate) recorder: Recorder,
    pub(crate) refusals: Arc<Refusals>,
}

/// The one way in.
pub(crate) fn router(ingest: Arc<Ingest>) -> axum::Router {
    axum::Router::new()
        .route("/in/{source}", post(receive))
        .fallback(async || reply::unknown_source())
        .with_state(ingest)
}

/// One webhook, in a straight line.
async fn receive(
    State(ingest): State<Arc<Ingest>>,
    name: Result<Path<String>, PathRejection>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let started = Instant::now();
    // What is no text names no source, and is answered like any other name that doesn't.
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let (response, outcome) = ingest.take(&name, peer, request).await;
    // Only configured names become labels: a sender can't make new ones.
    let label = ingest.sources.get(&name).map_or("unknown", |source| &source.name).to_owned();
    metrics::counter!(telemetry::REQUESTS, "source" => label, "outcome" => outcome).increment(1);
    metrics::histogram!(telemetry::ACK_SECONDS).record(started.elapsed());
    response
}

impl Ingest {
    async fn take(&self, name: &str, peer: SocketAddr, request: Request) -> (Response, &'static str) {
        // Before the body is read: a stranger's bytes cost nothing.
        let Some(source) = self.sources.get(name) else {
            self.refusals.note(None, "unknown_source", Some(peer.ip()), self.clock.now(), 0, []);
            return (reply::unknown_source(), "unknown_source");
        };
        let (parts, body) = request.into_parts();
        let (body, memory) = match self.limits.read(&parts.headers, body, source.max_body).await {
            Ok(read) => read,
            Err(why) => {
                let names = parts.headers.keys().map(http::HeaderName::as_str);
                self.refusals.note(Some(&source.name), why.as_str(), Some(peer.ip()), self.clock.now(), 0, names);
                return (reply::unread(why), why.as_str());
            }
        };
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
        let received = received_headers(&parts.headers);
        let verdict = source.verify(parts.method.as_str(), target, &received, &body, self.clock.now());
        let verified = match verdict {
            Ok(Verdict::Delivery(verified)) => verified,
            Ok(Verdict::Handshake(answer)) => return (reply::handshake(answer), "handshake"),
            // No provider's keys are fetched yet.
            Ok(Verdict::NeedKey(_)) => return (reply::refused(), "refused"),
            Err(reject) => {
                self.refusals.note(
                    Some(&source.name),
                    reject.as_str(),
                    Some(peer.ip()),
                    self.clock.now(),
                    body.len() as u64,
                    received.iter().map(|(name, _)| name),
                );
                return (reply::refused(), "refused");
            }
        };
        let wire = Wire {
            method: parts.method.to_string(),
            target: target.to_owned(),
            content_type: received.single("content-type").ok().flatten().map(lossless),
            headers: headers::encode(&received),
            body,
        };
        let arrival = Arrival::new(self.clock.stamp(), Arc::clone(&source.name), wire, &verified);
        match self.recorder.record(arrival, memory).await {
            Ok(recorded) => (reply::recorded(&recorded, &source.provider().reply), recorded.status.as_str()),
            Err(why) => (reply::not_durable(why), "not_durable"),
        }
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
