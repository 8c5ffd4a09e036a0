//! The soak: two gateways, one Postgres, a provider that never stops sending, and faults at random. At the end the books
//! must balance: every acknowledged event processed, its effects in the database exactly once a job, each key in order.
//!
//! `cargo test --test chaos` runs half a minute of faults, always of one seed. `HOOKGATE_CHAOS_MINUTES=20` makes it the long
//! profile, with a seed that it draws and prints; `HOOKGATE_CHAOS_SEED=7` repeats another run's faults and events (not their
//! timing), and `HOOKGATE_CHAOS_FOLDER` names a folder for the gateways' logs, kept. Ends with 1 where something is amiss.
//!
//! A program and not a `#[test]`: it is its own gateway process too, and its ledger is to be read.

// Here a panic is how the program fails.
#![allow(clippy::unwrap_used)]

mod database;
mod destination;
mod events;
mod faults;
mod fleet;
mod gateway;
mod ledger;
mod sender;
mod support;
mod verdict;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;

use database::Database;
use destination::Destination;
use faults::Faults;
use fleet::Fleet;
use ledger::Ledger;
use support::postgres::{Watchdog, fresh_folder};

/// What is done to the gateways and their database, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Profile {
    pub(crate) lasts: Duration,
    pub(crate) seed: u64,
    pub(crate) events_a_second: f64,
    /// Mean time from the end of one fault to the next.
    pub(crate) between_faults: Duration,
}

impl Profile {
    fn of_environment() -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<f64>().expect("a number"));
        let seed = std::env::var("HOOKGATE_CHAOS_SEED").ok().map(|seed| seed.parse().expect("a seed"));
        match number("HOOKGATE_CHAOS_MINUTES") {
            Some(minutes) => Self {
                lasts: Duration::from_secs_f64(minutes * 60.0),
                seed: seed.unwrap_or_else(rand::random),
                events_a_second: number("HOOKGATE_CHAOS_RATE").unwrap_or(200.0),
                between_faults: Duration::from_secs(4),
            },
            None => Self {
                lasts: Duration::from_secs(30),
                // What decides about a change should not differ from one run to the next.
                seed: seed.unwrap_or(1),
                events_a_second: 50.0,
                between_faults: Duration::from_secs(1),
            },
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["gateway", file] => return gateway::run(file),
        // `cargo test NAME` and test runners ask every test program.
        ["--list", ..] => return ExitCode::SUCCESS,
        [ref named, ..] if !named.starts_with('-') && !"chaos".contains(named) => return ExitCode::SUCCESS,
        _ => {}
    }
    soak(Profile::of_environment())
}

#[tokio::main]
async fn soak(profile: Profile) -> ExitCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = fresh_folder();
    let _watchdog = Watchdog::over(&folder);
    let began = Instant::now();
    println!("the soak: {} s of faults, seed {}", profile.lasts.as_secs(), profile.seed);
    let ledger = Arc::new(Ledger::default());
    let database = Arc::new(Database::start(&folder.join("postgres")).await);
    let destination = Destination::start(profile.seed).await;
    let fleet = Arc::new(Fleet::start(&folder, &database, &destination, Arc::clone(&ledger)).await);

    let sender = sender::Sender::start(profile, Arc::clone(&fleet), Arc::clone(&ledger));
    let mut faults = Faults::new(StdRng::seed_from_u64(profile.seed), Arc::clone(&fleet), Arc::clone(&database));
    faults.rain(profile, &ledger).await;
    // From here on nothing more goes wrong, but for the destination and the handlers: all that was sent must come to rest.
    destination.calm_down();
    fleet.all_up().await;
    let events = sender.finish().await;
    let mut complaints = verdict::at_rest(&database, &fleet).await;
    ledger.took(began.elapsed());
    complaints.extend(verdict::balance(&database, &destination, &events, &ledger).await);
    fleet.stop(&mut complaints).await;
    complaints.extend(verdict::left_behind(&database).await);
    complaints.extend(ledger.complaints());
    ledger.read_logs(fleet.logs());
    println!("{}", ledger.render(profile));
    keep_logs(&fleet, !complaints.is_empty());
    database.stop().await;
    if complaints.is_empty() {
        println!("the books balance");
        return ExitCode::SUCCESS;
    }
    for complaint in &complaints {
        println!("VIOLATION: {complaint}");
    }
    println!("again with HOOKGATE_CHAOS_SEED={}", profile.seed);
    ExitCode::FAILURE
}

/// The gateways' logs are the only witness of what went wrong.
fn keep_logs(fleet: &Fleet, failed: bool) {
    let kept = match std::env::var_os("HOOKGATE_CHAOS_FOLDER") {
        Some(folder) => std::path::PathBuf::from(folder),
        None if failed => fresh_folder(),
        None => return,
    };
    std::fs::create_dir_all(&kept).expect("make the folder");
    for log in fleet.logs() {
        let name = log.file_name().expect("a file");
        std::fs::copy(&log, kept.join(name)).expect("copy a log");
    }
    println!("the gateways' logs: {}", kept.display());
}
