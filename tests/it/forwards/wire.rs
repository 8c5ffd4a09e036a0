//! A destination that speaks HTTP/1.1 by hand, so that a test decides when a connection ends and sees every request begin.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What becomes of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Takes it whole and sends this.
    Answer(&'static str),
    /// The same, and closes the connection.
    AnswerAndClose(&'static str),
    /// Reads its head and closes the connection; with the rest unread, that is a reset.
    Vanish,
}

pub(super) const NO_CONTENT: Does = Does::Answer("HTTP/1.1 204 No Content\r\n\r\n");

/// A request whose head arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    /// Which connection it came on, from 0.
    pub(super) connection: usize,
    pub(super) head: String,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// Delivery and attempt: what must never be seen twice.
    pub(super) fn label(&self) -> (String, String) {
        let header = |name| self.header(name).unwrap_or_else(|| panic!("no {name} in {}", self.head)).to_owned();
        (header("hookgate-delivery-id"), header("hookgate-attempt"))
    }
}

/// A running server. Ends with the test.
pub(super) struct Wire {
    pub(super) addr: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Wire {
    /// Does these things with the requests that come, over all connections, and then answers 204.
    pub(super) async fn doing(script: &'static [Does]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let begun = Arc::new(AtomicUsize::new(0));
        let noted = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, connection, script, Arc::clone(&begun), Arc::clone(&noted)));
                connection += 1;
            }
        });
        Self { addr, seen }
    }

    /// Every request so far.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    script: &[Does],
    begun: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Seen>>>,
) {
    let mut bytes = Vec::new();
    loop {
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
                return;
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let request = Seen { connection, head };
        let length: usize = request.header("content-length").map_or(0, |length| length.parse().expect("a length"));
        seen.lock().expect("no panic").push(request);
        let does = script.get(begun.fetch_add(1, Ordering::SeqCst)).copied().unwrap_or(NO_CONTENT);
        if does == Does::Vanish {
            return;
        }
        while bytes.len() < end + length {
            if !matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
                return;
            }
        }
        bytes.drain(..end + length);
        let (Does::Answer(answer) | Does::AnswerAndClose(answer)) = does else { return };
        if stream.write_all(answer.as_bytes()).await.is_err() || does == Does::AnswerAndClose(answer) {
            return;
        }
    }
}
