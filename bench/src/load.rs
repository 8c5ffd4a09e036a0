//! The senders: keep-alive connections that each send the next signed request when the last one is answered.
//!
//! A closed loop, as pgbench's clients are. Bodies are signed before the clock starts: GitHub signs the body alone, so
//! each request still has an id of its own.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use hookgate_providers::{Headers, Secret, Unsigned, find, sign};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::process::Command;
use tokio::task::JoinSet;

use crate::{Failed, documents, processor};

/// What the process is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long)]
    to: SocketAddr,
    #[arg(long)]
    connections: usize,
    #[arg(long)]
    seconds: u64,
}

/// What the senders saw.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent {
    /// Answered 202 `accepted`.
    pub(crate) acked: u64,
    /// Answered anything else.
    pub(crate) refused: u64,
    /// From the first request to the last answer.
    pub(crate) elapsed: Duration,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    /// Processor time of the senders.
    pub(crate) used: Duration,
}

/// Sends from a process of its own.
pub(crate) async fn send(to: SocketAddr, connections: usize, seconds: u64) -> Result<Sent, Failed> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["load", "--to", &to.to_string(), "--connections", &connections.to_string()]);
    command.args(["--seconds", &seconds.to_string()]).stdin(Stdio::null()).stderr(Stdio::inherit()).kill_on_drop(true);
    let output = command.output().await?;
    if !output.status.success() {
        return Err("the senders failed".into());
    }
    let numbers = String::from_utf8(output.stdout)?;
    let numbers: Vec<u64> = numbers.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [acked, refused, elapsed, p50, p99, used] = numbers[..] else {
        return Err("the senders said something else than six numbers".into());
    };
    let micros = Duration::from_micros;
    Ok(Sent { acked, refused, elapsed: micros(elapsed), p50: micros(p50), p99: micros(p99), used: micros(used) })
}

/// The child: connects, sends for as long as told, prints six numbers (times in microseconds).
pub(crate) async fn run(options: &Options) -> Result<(), Failed> {
    let signed = Arc::new(Signed::all()?);
    let mut connections = Vec::with_capacity(options.connections);
    for _ in 0..options.connections {
        connections.push(connect(options.to).await?);
    }
    let before = processor::of_process(std::process::id());
    let started = Instant::now();
    let deadline = started + Duration::from_secs(options.seconds);
    let turn = Arc::new(AtomicUsize::new(0));
    let mut senders = JoinSet::new();
    for connection in connections {
        senders.spawn(sender(connection, Arc::clone(&signed), Arc::clone(&turn), deadline));
    }
    let (mut latencies, mut refused) = (Vec::new(), 0);
    while let Some(sender) = senders.join_next().await {
        let (acked, others) = sender??;
        latencies.extend(acked);
        refused += others;
    }
    let elapsed = started.elapsed().as_micros();
    let used = (processor::of_process(std::process::id()) - before).as_micros();
    latencies.sort_unstable();
    let (p50, p99) = (percentile(&latencies, 50), percentile(&latencies, 99));
    println!("{} {refused} {elapsed} {p50} {p99} {used}", latencies.len());
    Ok(())
}

/// One sender: how long each acknowledged request took in microseconds, and how many were not.
async fn sender(
    mut connection: SendRequest<Full<Bytes>>,
    signed: Arc<Signed>,
    turn: Arc<AtomicUsize>,
    deadline: Instant,
) -> Result<(Vec<u32>, u64), Failed> {
    let (mut latencies, mut refused) = (Vec::with_capacity(4096), 0);
    loop {
        let request = signed.request(turn.fetch_add(1, Ordering::Relaxed))?;
        connection.ready().await?;
        let started = Instant::now();
        if started >= deadline {
            return Ok((latencies, refused));
        }
        let answer = connection.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        let took = started.elapsed();
        if status == StatusCode::ACCEPTED && body.ends_with(br#""status":"accepted"}"#) {
            latencies.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        } else {
            refused += 1;
        }
    }
}

async fn connect(to: SocketAddr) -> Result<SendRequest<Full<Bytes>>, Failed> {
    let stream = tokio::net::TcpStream::connect(to).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// Bodies with their headers; only the id is missing.
struct Signed(Vec<(Bytes, HeaderMap)>);

impl Signed {
    fn all() -> Result<Self, Failed> {
        let provider = find("github").ok_or("no provider github")?;
        let secret = Secret::new(documents::SECRET)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() as i64;
        let mut headers = Headers::new();
        for (name, value) in [
            ("user-agent", "GitHub-Hookshot/044aadd"),
            ("accept", "*/*"),
            ("content-type", "application/json"),
            ("x-github-event", "issues"),
            ("x-github-hook-id", "292430182"),
            ("x-github-hook-installation-target-id", "79929171"),
            ("x-github-hook-installation-target-type", "repository"),
        ] {
            headers.push(name, value);
        }
        let documents = documents::all().into_iter().map(|body| {
            let unsigned = Unsigned {
                method: "POST",
                url: "http://127.0.0.1/in/github",
                headers: &headers,
                body: body.as_bytes(),
                id: "",
                now,
            };
            let signature = sign(provider, &unsigned, &secret)?;
            let mut map = HeaderMap::new();
            for (name, value) in headers.iter().chain(signature.iter()) {
                let name = HeaderName::from_bytes(name.as_bytes())?;
                map.append(name, HeaderValue::from_bytes(value)?);
            }
            Ok((Bytes::from(body), map))
        });
        documents.collect::<Result<_, Failed>>().map(Self)
    }

    fn request(&self, turn: usize) -> Result<Request<Full<Bytes>>, Failed> {
        let (body, headers) = &self.0[turn % self.0.len()];
        let mut request = Request::post("/in/github").header("host", "127.0.0.1").body(Full::new(body.clone()))?;
        request.headers_mut().extend(headers.clone());
        let id = uuid::Uuid::new_v4().to_string();
        request.headers_mut().insert("x-github-delivery", HeaderValue::from_str(&id)?);
        Ok(request)
    }
}

/// The value below which `percent` of a sorted list lie; zero of an empty one.
pub(crate) fn percentile(sorted: &[u32], percent: usize) -> u32 {
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_values_of_the_list() {
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!((percentile(&hundred, 50), percentile(&hundred, 99)), (50, 99));
        assert_eq!((percentile(&[7], 99), percentile(&[], 50)), (7, 0));
    }
}
