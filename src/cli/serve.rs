//! `serve`: a gateway from its configuration until it is told to stop.

use std::collections::BTreeSet;

use serde_json::json;

use super::exit::{Exit, Failure, told};
use super::{Invocation, local_url};
use crate::config::{Config, LogFormat, Mode, ProcessRole};
use crate::gateway::{Builder, Running};
use crate::telemetry;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What this process does, instead of the configuration's server.roles
    #[arg(long, value_delimiter = ',', value_name = "ingest,worker,operator")]
    roles: Vec<ProcessRole>,
}

pub(super) async fn run(invocation: &Invocation, builder: Builder, args: &Args) -> Result<Exit, Failure> {
    let mut config = invocation.config(Mode::Serve)?;
    if !args.roles.is_empty() {
        config.server.roles = BTreeSet::from_iter(args.roles.iter().copied());
    }
    until_told(invocation, builder, config).await
}

/// Starts the gateway, says where it is, and stops it gracefully on SIGTERM or ctrl-C.
pub(super) async fn until_told(invocation: &Invocation, builder: Builder, config: Config) -> Result<Exit, Failure> {
    // The start refuses them too; asked here, they come as sentences to a person. What is bearable it logs.
    config.refuse_contradictions()?;
    log(&config)?;
    // The signals are listened for from here on: one that comes during the start must not be lost.
    let stop = Stop::listen()?;
    let running = builder.config(config).start().await.map_err(refused)?;
    announce(invocation, &running);
    stop.told().await;
    eprintln!("stopping: what has started may finish; once more ctrl-C to leave it to others");
    end(running, Stop::listen()?).await
}

fn announce(invocation: &Invocation, running: &Running) {
    let url = |address: Option<std::net::SocketAddr>| address.map(|address| local_url(address).to_string());
    let (ingest, operator) = (url(running.ingest_addr()), url(running.operator_addr()));
    if let Some(url) = &ingest {
        invocation.screen.line(format!("ingest    {url}in/SOURCE"));
    }
    if let Some(url) = &operator {
        invocation.screen.line(format!("operator  {url}"));
    }
    invocation.screen.value(&json!({"ingest": ingest, "operator": operator}));
}

/// Stops what runs; a second signal ends the wait, and rescue hands the unfinished work to others.
pub(super) async fn end(running: Running, again: Stop) -> Result<Exit, Failure> {
    tokio::select! {
        () = running.shutdown() => Ok(Exit::Done),
        () = again.told() => Err(Failure::no("stopped before everything had ended").advise(
            "nothing is lost: unfinished jobs run again when a worker starts",
        )),
    }
}

/// Sets the process's logging up as configured.
pub(super) fn log(config: &Config) -> Result<(), Failure> {
    let format = match config.log.format {
        LogFormat::Text => telemetry::Format::Text,
        LogFormat::Json => telemetry::Format::Json,
    };
    telemetry::init(format, &config.log.level).map_err(|error| Failure::no(told(&error)))
}

/// A start, a migration or a stop that did not succeed.
pub(super) fn refused(error: crate::Error) -> Failure {
    let exit = if error.is_database() { Exit::Unreachable } else { Exit::No };
    Failure::new(exit, told(&error))
}

/// SIGTERM and ctrl-C.
pub(super) struct Stop {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

impl Stop {
    pub(super) fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen =
            |kind| signal(kind).map_err(|error| Failure::no(format!("signals cannot be listened for: {error}")));
        Ok(Self { terminate: listen(SignalKind::terminate())?, interrupt: listen(SignalKind::interrupt())? })
    }

    pub(super) async fn told(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
