//! `hookgate-bench`: load, baselines and reports. Method, fairness and figures: docs/BENCHMARKS.md.
//!
//! Everything runs on this machine, on loopback, over a Postgres of its own that is gone afterwards.

mod baseline;
mod cost;
mod documents;
mod gateway;
mod ingest;
mod load;
mod postgres;
mod processor;
mod report;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Why a benchmark ended without a figure: a sentence.
type Failed = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Parser)]
#[command(about = "Measures hookgate beside its baselines, on this machine")]
struct Arguments {
    #[command(subcommand)]
    scenario: Scenario,
}

#[derive(Debug, Subcommand)]
enum Scenario {
    /// Durable ingest beside pgbench committing the same rows one request at a time.
    Ingest(ingest::Options),
    /// The gateway that is measured, as a process of its own.
    #[command(hide = true)]
    Gateway(gateway::Options),
    /// The senders, as a process of their own.
    #[command(hide = true)]
    Load(load::Options),
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Arguments::parse().scenario {
        Scenario::Ingest(options) => ingest::run(&options).await,
        Scenario::Gateway(options) => gateway::run(&options).await,
        Scenario::Load(options) => load::run(&options).await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hookgate-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
