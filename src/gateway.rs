//! Puts a gateway together: configuration and handlers in, a running process out.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use crate::config::{self, Config, ProcessRole, Severity};
use crate::database::{self, Pools};
use crate::embedded::{Embedded, Options};
use crate::handler::{Handler, State, forward, refuse_two_answers};
use crate::receive::keys::Seam;
use crate::{Error, job};

mod operator;
mod parts;
mod running;

pub use running::Running;

/// A gateway. Begin with [`Gateway::builder`].
#[derive(Debug)]
pub struct Gateway;

impl Gateway {
    /// Starts putting a gateway together.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

/// Handlers, state and configuration of a gateway that does not run yet.
#[derive(Debug, Default)]
pub struct Builder {
    config: Option<Config>,
    handlers: Vec<Handler>,
    state: State,
    seam: Option<Seam>,
}

impl Builder {
    /// Adds a handler; its name must be its own.
    #[must_use]
    pub fn handler(mut self, handler: Handler) -> Self {
        self.handlers.push(handler);
        self
    }

    /// Gives handlers a value, found again by its type with [`Context::state`](crate::Context::state).
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.state.insert(value);
        self
    }

    /// Uses this configuration. [`Builder::run_cli`] loads one itself.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Has a test's server answer in place of the hosts that providers' keys are fetched from.
    pub(crate) fn seam(mut self, seam: Seam) -> Self {
        self.seam = Some(seam);
        self
    }

    /// Brings the database's schema up to date. Safe to run while gateways of the previous release run.
    pub async fn migrate(&self) -> Result<(), Error> {
        let config = self.settings()?;
        if config.database.pooler {
            return Err(Error::contradiction(
                "migrations need a session of their own: run `hookgate migrate` with the `database.url` of Postgres itself \
                 and `database.pooler = false`",
            ));
        }
        let database = Database::open(&config.database).await?;
        let migrated = database::migrate(&database.pools.operator).await;
        database.close(config.server.shutdown_grace).await;
        migrated
    }

    /// Starts the roles that the configuration names. Listeners are bound when this returns.
    pub async fn start(mut self) -> Result<Running, Error> {
        let config = self.config.take().map_or_else(|| Config::dev_defaults().map_err(Error::configuration), Ok)?;
        for problem in config.refuse_contradictions().map_err(Error::configuration)? {
            match problem.severity {
                Severity::Note => tracing::info!("config.note: {}", problem.sentence),
                Severity::Warning | Severity::Error => tracing::warn!("config.problem: {}", problem.sentence),
            }
        }
        let handlers = self.all_handlers(&config)?;
        // Bound before anything else is started: a taken port costs nothing.
        let listeners = Listeners::bind(&config.server).await?;
        let database = Database::open(&config.database).await?;
        parts::start(config, handlers, Arc::new(self.state), listeners, database, self.seam).await
    }

    fn settings(&self) -> Result<Config, Error> {
        self.config.clone().map_or_else(|| Config::dev_defaults().map_err(Error::configuration), Ok)
    }

    /// The program's own handlers and the configuration's forwards; every name once.
    fn all_handlers(&mut self, config: &Config) -> Result<Vec<Handler>, Error> {
        let mut handlers = std::mem::take(&mut self.handlers);
        for forward in &config.forwards {
            handlers.push(
                forward::configured(forward)
                    .map_err(|error| Error::contradiction(format!("[[forward]] `{}`: {error}", forward.name)))?,
            );
        }
        let mut names = BTreeSet::new();
        for handler in &handlers {
            handler.check().map_err(Error::configuration)?;
            if !names.insert(Arc::clone(&handler.name)) {
                return Err(Error::contradiction(format!(
                    "two handlers are named `{}`: give one of them, in the program or as [[forward]], another name",
                    handler.name
                )));
            }
        }
        refuse_two_answers(&handlers).map_err(Error::configuration)?;
        Ok(handlers)
    }
}

/// The bound listeners of the roles that have one.
#[derive(Debug)]
struct Listeners {
    ingest: Option<TcpListener>,
    operator: Option<TcpListener>,
}

impl Listeners {
    async fn bind(server: &config::Server) -> Result<Self, Error> {
        let wanted = |role| server.roles.contains(&role);
        Ok(Self {
            ingest: bind(wanted(ProcessRole::Ingest), "server.ingest", server.ingest).await?,
            operator: bind(wanted(ProcessRole::Operator), "server.operator", server.operator).await?,
        })
    }
}

async fn bind(wanted: bool, setting: &str, address: SocketAddr) -> Result<Option<TcpListener>, Error> {
    if !wanted {
        return Ok(None);
    }
    TcpListener::bind(address).await.map(Some).map_err(|error| Error::listener(setting, address, error))
}

/// The pools, and the server behind them where it is our own.
#[derive(Debug)]
struct Database {
    pools: Pools,
    embedded: Option<Embedded>,
}

impl Database {
    /// Connects to `database.url`, or starts a Postgres in the data folder.
    async fn open(settings: &config::Database) -> Result<Self, Error> {
        let (options, embedded) = match &settings.url {
            Some(url) => {
                let options = url.expose().parse().map_err(Error::database("database.url does not parse"))?;
                (options, None)
            }
            None => {
                let mut options = Options::new(&settings.data);
                options.pg_bin.clone_from(&settings.pg_bin);
                let embedded = Embedded::start(&options).await.map_err(Error::embedded)?;
                (embedded.connect_options(), Some(embedded))
            }
        };
        database::reach(&options, settings).await?;
        Ok(Self { pools: Pools::new(&options, settings), embedded })
    }

    async fn close(self, within: Duration) {
        self.pools.close(within).await;
        if let Some(embedded) = self.embedded
            && let Err(error) = embedded.stop().await
        {
            tracing::warn!(%error, "embedded.stop_failed");
        }
    }
}

/// What a snooze and a rescue may cost, which no handler sets.
fn with_worker_limits(mut handler: Handler, worker: &config::Worker) -> Handler {
    handler.policy = job::Policy { rescues: worker.rescues, ..handler.policy };
    handler
}
