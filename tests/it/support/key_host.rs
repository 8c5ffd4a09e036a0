//! A TLS server that plays every host from which keys are fetched, and counts who asks for what.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use http::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::eventually::eventually;

/// The names its certificate is for.
const NAMES: [&str; 5] = [
    "www.googleapis.com",
    "sns.eu-central-1.amazonaws.com",
    "api.ebay.com",
    "api.paypal.com",
    "api.sandbox.paypal.com",
];

/// A running server. What it answers is set by path; anything else is 404.
pub(crate) struct KeyHost {
    pub(crate) addr: SocketAddr,
    pub(crate) root_pem: Vec<u8>,
    state: Arc<State>,
}

struct State {
    answers: Mutex<HashMap<String, Answer>>,
    asked: Mutex<Vec<String>>,
    open: watch::Sender<bool>,
}

#[derive(Debug, Clone)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
}

impl KeyHost {
    pub(crate) async fn start() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(NAMES.map(str::to_owned)).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let tls = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(vec![cert.der().clone()], key))
            .expect("a TLS configuration");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let (open, _) = watch::channel(true);
        let state = Arc::new(State { answers: Mutex::default(), asked: Mutex::default(), open });
        tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(tls)), Arc::clone(&state)));
        Self { addr, root_pem: cert.pem().into_bytes(), state }
    }

    /// Answers 200 with this body at a path, query included.
    pub(crate) fn publish(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.answer(path, 200, &[], body);
    }

    pub(crate) fn answer(
        &self,
        path: &str,
        status: u16,
        headers: &[(&'static str, &'static str)],
        body: impl Into<Vec<u8>>,
    ) {
        let answer = Answer { status, headers: headers.to_vec(), body: body.into() };
        self.state.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    /// Lets whoever asks wait, until [`KeyHost::open`].
    pub(crate) fn close(&self) {
        self.state.open.send_replace(false);
    }

    pub(crate) fn open(&self) {
        self.state.open.send_replace(true);
    }

    /// `METHOD HOST PATH` of every request that came, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state.asked.lock().unwrap().clone()
    }

    pub(crate) async fn until_asked(&self, times: usize) {
        eventually("the host is asked", true, async || self.asked().len() >= times).await;
    }
}

async fn serve(listener: TcpListener, tls: TlsAcceptor, state: Arc<State>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (tls, state) = (tls.clone(), Arc::clone(&state));
        tokio::spawn(async move {
            let Ok(stream) = tls.accept(stream).await else { return };
            let service = tower::service_fn(move |request| answer(Arc::clone(&state), request));
            let server = auto::Builder::new(TokioExecutor::new());
            let _ = server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service)).await;
        });
    }
}

async fn answer(
    state: Arc<State>,
    request: Request<hyper::body::Incoming>,
) -> Result<Response<Body>, std::convert::Infallible> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let host = request.headers().get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
    state.asked.lock().unwrap().push(format!("{} {host} {path}", request.method()));
    let _ = state.open.subscribe().wait_for(|open| *open).await;
    let found = state.answers.lock().unwrap().get(&path).cloned();
    let found = found.unwrap_or(Answer { status: 404, headers: vec![], body: vec![] });
    let mut response = Response::builder().status(found.status);
    for (name, value) in found.headers {
        response = response.header(name, value);
    }
    Ok(response.body(Body::from(found.body)).expect("an answer"))
}
