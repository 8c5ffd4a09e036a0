//! The sections that hold plain settings: no references to resolve, no names to check.
//!
//! No field has a default here. `hookgate.default.toml` supplies every one, so a default lives in one place,
//! beside the comment that explains it.

use std::collections::BTreeSet;
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Network, duration, size};

/// `[server]`: the listeners, and the limits a request meets before anything is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Server {
    /// Where providers post.
    pub ingest: SocketAddr,
    /// Where the API, the dashboard, metrics and health answer.
    pub operator: SocketAddr,
    /// What this process does.
    pub roles: BTreeSet<ProcessRole>,
    /// How providers reach `ingest` from outside: what URL-signing providers sign begins with it, and so does the URL to
    /// paste. `None` when not told.
    pub public_url: Option<String>,
    /// Peers whose forwarding headers count; nobody else's do.
    pub trusted_proxies: Vec<Network>,
    /// How long a stopping process waits for what has started.
    #[serde(with = "duration")]
    pub shutdown_grace: Duration,
    /// How long a client may take to send its request head.
    #[serde(with = "duration")]
    pub header_timeout: Duration,
    /// How long a client may take to send its body.
    #[serde(with = "duration")]
    pub body_timeout: Duration,
    /// Largest accepted body in bytes, unless the source has its own limit.
    #[serde(with = "size")]
    pub max_body: usize,
    /// Bytes of bodies held in memory at once, over all requests.
    #[serde(with = "size")]
    pub bytes_in_flight: usize,
}

/// One thing a process does. A deployment is split by giving its processes different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessRole {
    /// Receives deliveries.
    Ingest,
    /// Runs handlers.
    Worker,
    /// Answers operators.
    Operator,
}

impl ProcessRole {
    /// Every role, in the order of a webhook's way.
    pub const ALL: [ProcessRole; 3] = [Self::Ingest, Self::Worker, Self::Operator];

    /// The name used in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Worker => "worker",
            Self::Operator => "operator",
        }
    }
}

impl fmt::Display for ProcessRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for ProcessRole {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not a role; use ingest, worker or operator"))
    }
}

/// `[recorder]`: how verified requests are committed in groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Recorder {
    /// Most deliveries in one transaction.
    pub batch: usize,
    /// Most body bytes in one transaction.
    #[serde(with = "size")]
    pub batch_bytes: usize,
    /// Most requests waiting; the next one is answered 503.
    pub queue: usize,
    /// Most body bytes waiting; the next one is answered 503.
    #[serde(with = "size")]
    pub queue_bytes: usize,
    /// Transactions in flight at once.
    pub writers: usize,
    /// How long a request waits for its commit before it is answered 503.
    #[serde(with = "duration")]
    pub timeout: Duration,
}

/// `[worker]`: how jobs are claimed and how a dead worker is noticed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Worker {
    /// Longest time between two looks for work when nothing wakes the worker.
    #[serde(with = "duration")]
    pub poll: Duration,
    /// Time between two signs of life.
    #[serde(with = "duration")]
    pub heartbeat: Duration,
    /// How long a worker may be silent before its claims are taken from it.
    #[serde(with = "duration")]
    pub lease: Duration,
    /// How often a job may be taken from a silent worker before it is dead (`poison`).
    pub rescues: u32,
    /// Most jobs of a lane claimed at once.
    pub lane_claim: u32,
    /// How live work, retries and replays share a handler's places.
    pub shares: Shares,
}

/// `worker.shares`: parts of a handler's places, for as long as each class has work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { live = 6, retry = 3, replay = 1 }")]
pub struct Shares {
    /// What came for the first time.
    pub live: u32,
    /// What failed before.
    pub retry: u32,
    /// What an operator ordered again.
    pub replay: u32,
}

/// `[retention]`: how long what is kept is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Retention {
    /// How long a repeated delivery is still recognised.
    #[serde(with = "duration")]
    pub receipts: Duration,
    /// Payloads and attempts of sources of class `short`.
    #[serde(with = "duration")]
    pub short: Duration,
    /// Payloads and attempts of sources of class `standard`.
    #[serde(with = "duration")]
    pub standard: Duration,
    /// Payloads and attempts of sources of class `long`.
    #[serde(with = "duration")]
    pub long: Duration,
}

impl Retention {
    /// How long payloads of a class are kept.
    pub fn of(&self, class: RetentionClass) -> Duration {
        match class {
            RetentionClass::Short => self.short,
            RetentionClass::Standard => self.standard,
            RetentionClass::Long => self.long,
        }
    }
}

/// The retention class a source names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetentionClass {
    /// Kept for `retention.short`.
    Short,
    /// Kept for `retention.standard`.
    Standard,
    /// Kept for `retention.long`.
    Long,
}

impl RetentionClass {
    /// Every class, shortest first.
    pub const ALL: [RetentionClass; 3] = [Self::Short, Self::Standard, Self::Long];

    /// The name used in the configuration and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Short => "short",
            Self::Standard => "standard",
            Self::Long => "long",
        }
    }
}

/// `[registry]`: which configuration wins when processes of different releases share a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Registry {
    /// A process writes its sources and handlers when this is at least what the database has.
    pub release: i64,
}

/// `[log]`: what is written to standard error, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub struct Log {
    /// For people or for machines.
    pub format: LogFormat,
    /// A level, or filters such as `info,hookgate=debug`.
    pub level: String,
}

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}
