//! Durable ingest beside pgbench committing the same rows one request at a time: one server, one run, in turn.

use std::path::PathBuf;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::cost::{self, Cost};
use crate::gateway::{self, Measured, Recorded};
use crate::postgres::Postgres;
use crate::{Failed, baseline, load, processor, report};

/// What to measure, and for how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Connections on both sides; several are measured one after the other.
    #[arg(long, value_delimiter = ',', default_value = "128")]
    pub(crate) connections: Vec<usize>,
    /// How often each side runs, in turn.
    #[arg(long, default_value_t = 3)]
    pub(crate) repeats: usize,
    /// How long a leg takes.
    #[arg(long, default_value_t = 6)]
    pub(crate) seconds: u64,
    /// One lane an ordering key (there are 200) instead of unordered jobs.
    #[arg(long)]
    pub(crate) lanes: bool,
    /// Where the throwaway data folder goes: the disk that is measured.
    #[arg(long, default_value_os_t = std::env::temp_dir())]
    pub(crate) folder: PathBuf,
}

/// One run of one side.
#[derive(Debug, Clone)]
pub(crate) struct Leg {
    pub(crate) elapsed: Duration,
    pub(crate) p50: Duration,
    pub(crate) p99: Duration,
    pub(crate) cost: Cost,
    pub(crate) used: Used,
    pub(crate) recorded: Recorded,
}

/// Processor time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Used {
    pub(crate) postgres: Duration,
    pub(crate) gateway: Duration,
    /// The senders, or pgbench.
    pub(crate) clients: Duration,
    /// The whole machine, whatever ran on it, from before the leg's first request to after its last.
    pub(crate) machine: Duration,
}

impl Used {
    pub(crate) fn total(&self) -> Duration {
        self.postgres + self.gateway + self.clients
    }

    /// Processors that something else kept busy. Contention does not hit both sides alike: the kernel shares out
    /// processors by task, and pgbench's side has a hundred times as many.
    pub(crate) fn others(&self, elapsed: Duration) -> f64 {
        self.machine.saturating_sub(self.total()).as_secs_f64() / elapsed.as_secs_f64()
    }
}

impl Leg {
    /// Durable deliveries a second, counted in the database.
    pub(crate) fn rate(&self) -> f64 {
        self.cost.deliveries as f64 / self.elapsed.as_secs_f64()
    }
}

/// Runs the scenario; whatever happens, the server is stopped and its folder removed.
pub(crate) async fn run(options: &Options) -> Result<(), Failed> {
    // From here on ctrl-C is noted, not deadly: while the server is being made it must wait until it can be removed.
    let mut interrupted = signal(SignalKind::interrupt())?;
    let postgres = Postgres::start(&options.folder).await?;
    let measured = tokio::select! {
        measured = measure(options, &postgres) => measured,
        _ = interrupted.recv() => Err("interrupted".into()),
    };
    postgres.remove().await?;
    measured
}

async fn measure(options: &Options, postgres: &Postgres) -> Result<(), Failed> {
    report::head(options, postgres).await?;
    gateway::prepare(&postgres.url()?, if options.lanes { "lane" } else { "none" }).await?;
    warm_up(postgres).await?;
    for &connections in &options.connections {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for repeat in 0..options.repeats {
            // ABBA: a machine that slows down or speeds up does so for both.
            if repeat % 2 == 0 {
                ours.push(ingest(postgres, connections, options.seconds).await?);
                theirs.push(commit(postgres, connections, options).await?);
            } else {
                theirs.push(commit(postgres, connections, options).await?);
                ours.push(ingest(postgres, connections, options.seconds).await?);
            }
            report::pair(connections, repeat + 1, &ours[repeat], &theirs[repeat]);
        }
        report::summary(connections, &ours, &theirs);
    }
    Ok(())
}

/// One row of every document, for the baseline's templates.
async fn warm_up(postgres: &Postgres) -> Result<(), Failed> {
    let gateway = Measured::start(&postgres.url()?).await?;
    load::send(gateway.address, 8, 3).await?;
    gateway.stop().await?;
    baseline::prepare(&postgres.pool).await
}

async fn ingest(postgres: &Postgres, connections: usize, seconds: u64) -> Result<Leg, Failed> {
    cost::reset(&postgres.pool).await?;
    let gateway = Measured::start(&postgres.url()?).await?;
    let before = cost::counters(&postgres.pool).await?;
    let (postgres_before, gateway_before) = (postgres.used().await?, gateway.used());
    let machine_before = processor::of_machine();
    let sent = load::send(gateway.address, connections, seconds).await?;
    let (gateway_used, machine) = (gateway.used() - gateway_before, processor::of_machine() - machine_before);
    let recorded = gateway.stop().await?;
    let postgres_used = postgres.used().await? - postgres_before;
    let cost = cost::since(&postgres.pool, before).await?;
    if sent.refused > 0 || sent.acked != cost.deliveries as u64 {
        return Err(format!(
            "{} were acknowledged, {} answered otherwise, {} are stored: the figures mean nothing",
            sent.acked, sent.refused, cost.deliveries
        )
        .into());
    }
    Ok(Leg {
        elapsed: sent.elapsed,
        p50: sent.p50,
        p99: sent.p99,
        cost,
        used: Used { postgres: postgres_used, gateway: gateway_used, clients: sent.used, machine },
        recorded,
    })
}

async fn commit(postgres: &Postgres, connections: usize, options: &Options) -> Result<Leg, Failed> {
    cost::reset(&postgres.pool).await?;
    let before = cost::counters(&postgres.pool).await?;
    let clients_used = || processor::of_ended_children(std::process::id());
    let (postgres_before, clients_before) = (postgres.used().await?, clients_used());
    let machine_before = processor::of_machine();
    let committed = baseline::commit(postgres, connections, options.seconds, options.lanes).await?;
    let machine = processor::of_machine() - machine_before;
    let (postgres_used, clients_used) = (postgres.used().await? - postgres_before, clients_used() - clients_before);
    let cost = cost::since(&postgres.pool, before).await?;
    if committed.transactions != cost.deliveries as u64 {
        return Err(format!("pgbench says {}, {} are stored", committed.transactions, cost.deliveries).into());
    }
    Ok(Leg {
        elapsed: committed.elapsed,
        p50: committed.p50,
        p99: committed.p99,
        cost,
        used: Used { postgres: postgres_used, gateway: Duration::ZERO, clients: clients_used, machine },
        recorded: Recorded::default(),
    })
}
