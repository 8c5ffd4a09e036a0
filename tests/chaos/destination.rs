//! Where the forward goes: a server that fails, hangs, hangs up and is slow, and remembers what it was sent.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::events::Received;

/// What came of one event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arrivals {
    /// Whole requests.
    pub(crate) requests: u64,
    /// Those answered with a 2xx.
    pub(crate) accepted: u64,
    /// Every idempotency key it came with.
    pub(crate) keys: BTreeSet<String>,
    /// Every `webhook-id`.
    pub(crate) ids: BTreeSet<String>,
}

/// A server on a port of its own, until the program ends.
#[derive(Debug)]
pub(crate) struct Destination {
    addr: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    calm: AtomicBool,
    dice: Mutex<StdRng>,
    arrived: Mutex<HashMap<String, Arrivals>>,
}

impl Destination {
    pub(crate) async fn start(seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let dice = Mutex::new(StdRng::seed_from_u64(seed ^ 0xde57));
        let shared = Arc::new(Shared { calm: AtomicBool::new(false), dice, arrived: Mutex::default() });
        tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self { addr, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hooks", self.addr)
    }

    /// From now on it answers what it is asked.
    pub(crate) fn calm_down(&self) {
        self.shared.calm.store(true, Ordering::Relaxed);
    }

    /// Everything that arrived, by event.
    pub(crate) fn arrived(&self) -> HashMap<String, Arrivals> {
        self.shared.arrived.lock().expect("no panic").clone()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((socket, _)) = listener.accept().await {
        tokio::spawn(converse(socket, Arc::clone(&shared)));
    }
}

/// Requests of one connection, until either side has enough. By hand, because no HTTP server hangs up on purpose.
async fn converse(mut socket: TcpStream, shared: Arc<Shared>) -> Option<()> {
    let mut buffered = Vec::new();
    loop {
        let (head, body) = request(&mut socket, &mut buffered).await?;
        let event: Received = serde_json::from_slice(&body).ok()?;
        let header = |name: &str| {
            let line = head.lines().find(|line| line.to_ascii_lowercase().starts_with(&format!("{name}:")));
            line.map(|line| line[name.len() + 1..].trim().to_owned()).unwrap_or_default()
        };
        {
            let mut arrived = shared.arrived.lock().expect("no panic");
            let arrivals = arrived.entry(event.id.clone()).or_default();
            arrivals.requests += 1;
            arrivals.keys.insert(header("idempotency-key"));
            arrivals.ids.insert(header("webhook-id"));
        }
        let calm = shared.calm.load(Ordering::Relaxed);
        let drawn = if calm { 999 } else { shared.dice.lock().expect("no panic").random_range(0..1000) };
        let status = match drawn {
            0..80 => "503 Service Unavailable\r\nretry-after: 1",
            80..110 => "500 Internal Server Error",
            110..130 => "302 Found\r\nlocation: /elsewhere",
            // Reset: what is unread or unsent is lost, and the other side is told so.
            130..150 => {
                socket.set_zero_linger().ok()?;
                return None;
            }
            // In the middle of its answer.
            150..160 => {
                socket.write_all(b"HTTP/1.1 200 O").await.ok()?;
                return None;
            }
            // Longer than anybody waits.
            160..170 => return std::future::pending().await,
            170..300 => {
                tokio::time::sleep(Duration::from_millis(drawn * 2)).await;
                "204 No Content"
            }
            _ => "204 No Content",
        };
        if status.starts_with('2') {
            let mut arrived = shared.arrived.lock().expect("no panic");
            arrived.entry(event.id).or_default().accepted += 1;
        }
        let length = if status.starts_with("204") { "" } else { "content-length: 0\r\n" };
        socket.write_all(format!("HTTP/1.1 {status}\r\n{length}\r\n").as_bytes()).await.ok()?;
    }
}

/// The next request's head and body.
async fn request(socket: &mut TcpStream, buffered: &mut Vec<u8>) -> Option<(String, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    loop {
        if let Some(at) = buffered.windows(END.len()).position(|four| four == END) {
            let head = String::from_utf8_lossy(&buffered[..at]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            })?;
            let whole = at + END.len() + length;
            if buffered.len() >= whole {
                let rest = buffered.split_off(whole);
                let body = buffered[at + END.len()..].to_vec();
                *buffered = rest;
                return Some((head, body));
            }
        }
        if socket.read_buf(buffered).await.ok()? == 0 {
            return None;
        }
    }
}
