//! Where a forward goes: a server that answers as scripted and tells the test what it was sent.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::State;
use bytes::Bytes;
use hookgate_providers::Headers;
use http::{HeaderMap, StatusCode, Uri, header};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Far beyond what a forward takes to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrived {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
}

impl Arrived {
    /// A header that must be there once, as text.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let value = self.headers.single(name).unwrap_or_else(|_| panic!("{name} is repeated"))?;
        Some(String::from_utf8(value.to_vec()).expect("a header of text"))
    }

    pub(crate) fn sha256(&self) -> Vec<u8> {
        Sha256::digest(&self.body).to_vec()
    }
}

/// A server on a port of its own. Ends with the test.
#[derive(Debug)]
pub(crate) struct Destination {
    addr: SocketAddr,
    arrivals: UnboundedReceiver<Arrived>,
}

#[derive(Debug)]
struct Script {
    statuses: Mutex<VecDeque<StatusCode>>,
    arrived: UnboundedSender<Arrived>,
}

impl Destination {
    /// Answers with these statuses, one after another, and then with 204. A 3xx points at `/elsewhere` of this server.
    pub(crate) async fn answering(statuses: &[u16]) -> Self {
        let statuses = statuses.iter().map(|status| StatusCode::from_u16(*status).expect("a status")).collect();
        let (arrived, arrivals) = unbounded_channel();
        let script = Arc::new(Script { statuses: Mutex::new(statuses), arrived });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let router = axum::Router::new().fallback(answer).with_state(script);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { addr, arrivals }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hooks", self.addr)
    }

    /// The next request, waited for.
    pub(crate) async fn next(&mut self) -> Arrived {
        let arrived = tokio::time::timeout(PATIENCE, self.arrivals.recv()).await;
        arrived.expect("no request came").expect("the server runs")
    }

    /// Whether a request arrived that the test has not looked at.
    pub(crate) fn has_more(&mut self) -> bool {
        !self.arrivals.is_empty()
    }
}

async fn answer(
    State(script): State<Arc<Script>>,
    method: http::Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, [(header::HeaderName, &'static str); 1]) {
    let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let arrived = Arrived { method: method.to_string(), path: uri.path().to_owned(), headers, body };
    let _ = script.arrived.send(arrived);
    let status = script.statuses.lock().expect("no panic").pop_front().unwrap_or(StatusCode::NO_CONTENT);
    (status, [(header::LOCATION, "/elsewhere")])
}
