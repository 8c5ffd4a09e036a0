//! A destination whose mood the test decides, also while a request is there.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};

use axum::extract::State;
use http::StatusCode;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Notify};

/// A server on a port of its own. Ends with the test.
pub(crate) struct Moody {
    addr: SocketAddr,
    mood: Arc<Mood>,
}

struct Mood {
    /// 0: no answer yet.
    status: AtomicU16,
    retry_after: AtomicU16,
    arrived: AtomicUsize,
    changed: Notify,
    bodies: Mutex<Vec<String>>,
}

impl Moody {
    /// Answers with this status until told otherwise; with 0, not before it is told.
    pub(crate) async fn answering(status: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let mood = Arc::new(Mood {
            status: status.into(),
            retry_after: 0.into(),
            arrived: 0.into(),
            changed: Notify::new(),
            bodies: Mutex::default(),
        });
        let router = axum::Router::new().fallback(answer).with_state(Arc::clone(&mood));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { addr, mood }
    }

    /// The breaker's name.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// A forward of this name to it.
    pub(crate) fn forward(&self, name: &str, more: &str) -> String {
        format!(
            "[[forward]]\nname = '{name}'\nfrom = 'stripe'\nto = '{}/{name}'\nsign = 'none'\nbackoff_base = '1ms'\n\
             backoff_cap = '1ms'\nattempts = 50\n{more}\n",
            self.origin()
        )
    }

    pub(crate) fn answer(&self, status: u16) {
        self.mood.status.store(status, Ordering::SeqCst);
        self.mood.changed.notify_waiters();
    }

    pub(crate) fn retry_after(&self, seconds: u16) {
        self.mood.retry_after.store(seconds, Ordering::SeqCst);
    }

    /// How many requests came so far.
    pub(crate) fn arrived(&self) -> usize {
        self.mood.arrived.load(Ordering::SeqCst)
    }

    /// What was accepted, in order.
    pub(crate) async fn accepted(&self) -> Vec<String> {
        self.mood.bodies.lock().await.clone()
    }
}

async fn answer(State(mood): State<Arc<Mood>>, body: String) -> (StatusCode, [(&'static str, String); 1]) {
    mood.arrived.fetch_add(1, Ordering::SeqCst);
    let status = loop {
        let changed = mood.changed.notified();
        match mood.status.load(Ordering::SeqCst) {
            0 => changed.await,
            status => break StatusCode::from_u16(status).expect("a status"),
        }
    };
    if status.is_success() {
        mood.bodies.lock().await.push(body);
    }
    (status, [("retry-after", mood.retry_after.load(Ordering::SeqCst).to_string())])
}
