//! The embedded Postgres: without a database URL the gateway runs its own server in a data folder.
//!
//! Promised: the cluster is durable (fsync on), reachable only through a private Unix socket, and
//! outlives the gateway's crash. Any number of gateways may share one folder on one machine: the
//! first starts the server, the others attach, the last to leave stops it. A server left behind by
//! a killed gateway is reused; one that was itself killed is recovered.
//!
//! Not promised: network access, several machines on one folder, major version upgrades.
//!
//! Two lock files carry the protocol. `starting.lock` is held (exclusively) while a gateway starts,
//! attaches or stops, so those never overlap. `gateways.lock` is held (shared) by every gateway
//! that uses the server; who can take it exclusively is the last one. The kernel drops both when a
//! process dies, so a kill -9 leaves nothing to clean.

mod account;
mod cluster;
mod error;
#[cfg(feature = "fetch-postgres")]
mod fetch;
mod find;
mod folder;
mod lock;
mod server;
mod settings;
mod socket;

use std::fs::File;
use std::path::{Path, PathBuf};

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use account::Account;
use find::Binaries;
use folder::Folder;

pub use error::EmbeddedError;

/// The only role and the only database of the embedded server.
const NAME: &str = "hookgate";

/// How to run the embedded server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The wanted data folder; made if missing.
    pub data: PathBuf,
    /// The folder that holds `postgres`, `initdb` and `pg_ctl`. Set, nowhere else is looked.
    pub pg_bin: Option<PathBuf>,
    /// Whether a server may be downloaded when none is installed.
    pub fetch: bool,
    /// Where data goes when root was asked for a folder that the server's user cannot reach.
    pub fallback: PathBuf,
    durable: bool,
}

impl Options {
    /// The defaults for a data folder: look everywhere, download if built with `fetch-postgres`.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self {
            data: data.into(),
            pg_bin: None,
            fetch: cfg!(feature = "fetch-postgres"),
            fallback: PathBuf::from("/var/lib/hookgate"),
            durable: true,
        }
    }

    /// Turns fsync off. For test clusters that are thrown away; no configuration key leads here.
    #[doc(hidden)]
    #[must_use]
    pub fn without_durability(mut self) -> Self {
        self.durable = false;
        self
    }
}

/// A running embedded server that this process uses.
///
/// Dropping it leaves the server running for the next gateway; [`Embedded::stop`] ends it.
#[derive(Debug)]
pub struct Embedded {
    folder: Folder,
    binaries: Binaries,
    account: Account,
    socket: PathBuf,
    port: u16,
    attached: bool,
    in_use: File,
}

impl Embedded {
    /// Finds or fetches a server, makes the cluster if there is none, starts the server or attaches
    /// to the one already running on the folder, and returns when it accepts connections.
    ///
    /// # Errors
    ///
    /// When no server can be had, or the folder cannot be used; the message says what to change.
    pub async fn start(options: &Options) -> Result<Self, EmbeddedError> {
        let (folder, account) = folder::prepare(options).await?;
        let starting = lock::exclusive(&folder.starting_lock()).await?;
        let in_use = lock::shared(&folder.gateways_lock()).await?;

        let needed = cluster::major(&folder)?;
        let binaries = find::obtain(options, &folder, account, needed).await?;
        if needed.is_none() {
            cluster::create(&folder, &binaries, account).await?;
        }
        let (running, attached) = server::start_or_attach(options.durable, &folder, &binaries, account).await?;
        drop(starting);

        tracing::info!(
            folder = %folder.path().display(),
            postgres = binaries.major(),
            attached,
            "embedded Postgres accepts connections"
        );
        Ok(Self { folder, binaries, account, socket: running.socket, port: running.port, attached, in_use })
    }

    /// How to connect: the private socket, user and database `hookgate` (its superuser).
    pub fn connect_options(&self) -> PgConnectOptions {
        connect_options(&self.socket, self.port)
    }

    /// The data folder really used, absolute. Differs from the wanted one after a fallback.
    pub fn data_folder(&self) -> &Path {
        self.folder.path()
    }

    /// Whether the server was already running.
    pub fn attached(&self) -> bool {
        self.attached
    }

    /// Shuts the server down (open transactions are rolled back, a checkpoint is written), unless
    /// another gateway still uses it: the last one to leave stops it.
    ///
    /// # Errors
    ///
    /// When the server does not end in time. It can be left alone: the next start recovers it.
    pub async fn stop(self) -> Result<(), EmbeddedError> {
        let _starting = lock::exclusive(&self.folder.starting_lock()).await?;
        if lock::is_last(&self.in_use) {
            server::stop(&self.folder, &self.binaries, self.account).await?;
        }
        Ok(())
    }
}

/// The client library reads `PGHOST`, `PGUSER` and their like; set here, a stray one cannot lead the
/// gateway to another server.
fn connect_options(socket: &Path, port: u16) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(socket)
        .port(port)
        .username(NAME)
        .database(NAME)
        .ssl_mode(PgSslMode::Disable)
        .application_name(NAME)
}
