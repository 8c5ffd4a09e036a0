//! HTTP by hand, for requests that no client would send and answers to be compared to the byte.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Far beyond what any answer here takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends these bytes and no more, keeps the connection open, and reads one whole answer, without its `date`.
pub(crate) async fn exchange(to: SocketAddr, request: &[u8]) -> RawAnswer {
    let mut stream = TcpStream::connect(to).await.expect("connect");
    stream.write_all(request).await.expect("send");
    tokio::time::timeout(PATIENCE, read(&mut stream)).await.expect("an answer in time")
}

async fn read(stream: &mut TcpStream) -> RawAnswer {
    let mut bytes = Vec::new();
    loop {
        if let Some(answer) = RawAnswer::whole(&bytes) {
            return answer;
        }
        let read = stream.read_buf(&mut bytes).await.expect("read");
        assert!(read > 0, "closed before a whole answer: {:?}", String::from_utf8_lossy(&bytes));
    }
}

/// An answer as it came, without its `date`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawAnswer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl RawAnswer {
    fn whole(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<String> =
            lines.map(str::to_ascii_lowercase).filter(|line| !line.starts_with("date:")).collect();
        let length = headers.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
        (body.len() >= length).then(|| Self { status, headers, body: body.to_owned() })
    }

    /// The value of a header, lower-cased.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
