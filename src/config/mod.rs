//! Configuration: compiled-in defaults, then a file, then the environment.
//!
//! Promises: a key that is not known is refused, wherever it is written, and the refusal says where and what was
//! probably meant. A setting has one default, in `hookgate.default.toml`. A secret is named by reference and shown
//! only as that. Settings that contradict each other are told in one sentence that names both. Nothing else in
//! hookgate reads the environment.

mod breaker;
mod check;
mod database;
mod duration;
mod error;
mod forward;
mod load;
mod name;
mod network;
mod operator;
mod pattern;
mod phrase;
pub(crate) mod places;
mod policy;
mod print;
mod provider;
mod rate;
mod reply;
mod sealing;
mod secret;
mod sections;
mod sheet;
mod size;
mod source;
mod url_key;

use std::collections::BTreeMap;

use serde::Serialize;

pub use breaker::Breaker;
pub use check::{Problem, Severity};
pub use database::{Database, DatabaseUrl};
pub use duration::{parse as parse_duration, show as show_duration};
pub use error::ConfigError;
pub use forward::{Connection, Forward, ForwardTls, Http2, Permanent, Signing, StaticHeader};
pub use load::{DEFAULT_TOML, LoadOptions};
pub use name::Name;
pub use network::Network;
pub use operator::{Operator, Token, TokenRole};
pub use pattern::Pattern;
pub(crate) use policy::LONGEST_WINDOW;
pub use policy::{HandlerPolicy, OnFailure, Order};
pub use rate::Rate;
pub use reply::Reply;
pub use sealing::Secrets;
pub use secret::{Reference, Secret};
pub use sections::{
    Log, LogFormat, ProcessRole, Recorder, Registry, Retention, RetentionClass, Server, Shares, Worker,
};
pub use size::{parse as parse_size, show as show_size};
pub use source::{OnConflict, Source};

/// The resolved configuration: every value typed, every secret fetched. Serialising it hides the secrets.
#[derive(Debug, Clone, Serialize)]
pub struct Config {
    /// Listeners and request limits.
    pub server: Server,
    /// Who may use the operator listener.
    pub operator: Operator,
    /// Which Postgres.
    pub database: Database,
    /// Group commit.
    pub recorder: Recorder,
    /// Claiming, and noticing dead workers.
    pub worker: Worker,
    /// When a failing destination is left alone.
    pub breaker: Breaker,
    /// How handlers are run unless they say otherwise.
    pub handler_defaults: HandlerPolicy,
    /// How long what is kept is kept.
    pub retention: Retention,
    /// Whose configuration wins in a shared database.
    pub registry: Registry,
    /// Log output.
    pub log: Log,
    /// The keys that seal secrets from handshakes.
    pub secrets: Secrets,
    /// Ingest endpoints by name.
    #[serde(rename = "source")]
    pub sources: BTreeMap<Name, Source>,
    /// Built-in handlers, in the order written.
    #[serde(rename = "forward")]
    pub forwards: Vec<Forward>,
}

/// Whether convenience may go before caution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Secrets only by reference.
    #[default]
    Serve,
    /// On a developer's machine: secrets may stand in the file.
    Dev,
}

impl Config {
    /// Loads defaults, file and environment, and fetches every secret. Contradictions between settings are *not*
    /// refused here, so that `check` can list them all: see [`Config::refuse_contradictions`].
    pub fn load(options: &LoadOptions) -> Result<Self, ConfigError> {
        load::load(options)
    }

    /// The same from a text in memory; `{ file = … }` secrets are still read from disk.
    pub fn from_toml(text: &str, env: &BTreeMap<String, String>, mode: Mode) -> Result<Self, ConfigError> {
        load::from_layers(Some(("hookgate.toml", text)), env, mode, &|path| std::fs::read(path))
    }

    /// The compiled-in defaults with nothing laid over them: no source, no forward. What `hookgate dev` starts from.
    pub fn dev_defaults() -> Result<Self, ConfigError> {
        Self::from_toml("", &BTreeMap::new(), Mode::Dev)
    }
}
