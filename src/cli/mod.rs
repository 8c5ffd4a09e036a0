//! The command line, over the library's public API and the operator API only.
//!
//! Promises: standard output carries the answer and nothing else (with `--json`, one JSON value); standard error
//! carries one sentence about what went wrong and what to do; the exit code is one of those in [`exit::Exit`]. A
//! user's own binary gets every command through `Builder::run_cli`, with its handlers in place.

mod breakers;
mod check;
mod client;
mod deliveries;
mod demo;
mod dev;
mod exit;
mod explain;
mod handlers;
mod help;
mod init;
mod jobs;
mod lanes;
mod migrate;
mod pause;
mod providers;
mod replay;
mod sample;
mod screen;
mod send;
mod serve;
mod sources;
mod table;

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use reqwest::Url;

use crate::config::{Config, LoadOptions, Mode};
use crate::gateway::Builder;
use exit::{Exit, Failure};
use screen::Screen;

/// Receives webhooks: verified, deduplicated, durably queued, processed in order, replayed.
#[derive(Debug, Parser)]
#[command(name = "hookgate", version)]
struct Cli {
    #[command(flatten)]
    everywhere: Everywhere,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
struct Everywhere {
    /// The configuration file [default: $HOOKGATE_CONFIG, else hookgate.toml if there is one]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Answer with one JSON value instead of text
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Add a provider: a commented source in hookgate.toml, a line in .env, the URL to paste
    Init(init::Args),
    /// Run everything on this machine, with a Postgres of its own
    Dev(dev::Args),
    /// Post a signed sample event to a source
    Send(send::Args),
    /// Run a gateway
    Serve(serve::Args),
    /// Bring the database's schema up to date
    Migrate,
    /// Print the resolved configuration, secrets hidden, and what contradicts itself
    Check(check::Args),
    /// See what was received and what became of it
    #[command(subcommand)]
    Deliveries(deliveries::Command),
    /// Run a delivery's handlers again
    Replay(replay::Args),
    /// See what waits to be done, and end it
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// See who takes events, retire a handler, hand its jobs over
    #[command(subcommand)]
    Handlers(handlers::Command),
    /// Stop handlers from starting while receiving goes on
    Pause(pause::Pause),
    /// Let them start again
    Resume(pause::Resume),
    /// Say why a captured request is refused, and what to change
    Explain(explain::Args),
    /// See what receives, and pair with providers that send the secret themselves
    #[command(subcommand)]
    Sources(sources::Command),
    /// See which destinations are left alone because they fail, and open or close them
    #[command(subcommand)]
    Breakers(breakers::Command),
    /// See which lanes stand still, and let them go on
    #[command(subcommand)]
    Lanes(lanes::Command),
    /// See which providers are built in
    #[command(subcommand)]
    Providers(providers::Command),
}

impl Builder {
    /// Makes a program of this: the whole `hookgate` command line, with the program's own handlers in it.
    ///
    /// Starts a runtime, so it is called from a plain `main` and not from an async one.
    pub fn run_cli(self) -> ExitCode {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(run(self, std::env::args_os())),
            Err(error) => {
                eprintln!("error: no thread can be started: {error}");
                Exit::No.into()
            }
        }
    }
}

/// Runs one command line. `builder` holds the program's own handlers.
pub(crate) async fn run(builder: Builder, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match parse(args) {
        Ok(cli) => cli,
        Err(error) => {
            // `--help` and `--version` come this way too, with code 0.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    // Fails only when the program has chosen a provider already, which is then the one to use.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let invocation = Invocation::new(cli.everywhere);
    let ended = match cli.command {
        Command::Init(args) => init::run(&invocation, &args),
        Command::Dev(args) => dev::run(&invocation, builder, &args).await,
        Command::Send(args) => send::run(&invocation, &args).await,
        Command::Serve(args) => serve::run(&invocation, builder, &args).await,
        Command::Migrate => migrate::run(&invocation, builder).await,
        Command::Check(args) => check::run(&invocation, &args),
        Command::Deliveries(command) => deliveries::run(&invocation, &command).await,
        Command::Replay(args) => replay::run(&invocation, &args).await,
        Command::Jobs(command) => jobs::run(&invocation, &command).await,
        Command::Handlers(command) => handlers::run(&invocation, &command).await,
        Command::Pause(wanted) => pause::pause(&invocation, &wanted).await,
        Command::Resume(wanted) => pause::resume(&invocation, &wanted).await,
        Command::Explain(args) => explain::run(&invocation, &args),
        Command::Sources(command) => sources::run(&invocation, &command).await,
        Command::Breakers(command) => breakers::run(&invocation, &command).await,
        Command::Lanes(command) => lanes::run(&invocation, &command).await,
        Command::Providers(command) => providers::run(&invocation, &command),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit.into()
        }
    }
}

fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let matches = help::grouped(Cli::command()).try_get_matches_from(args)?;
    Cli::from_arg_matches(&matches)
}

/// What every command is given: its configuration's whereabouts, its environment, and where to answer.
struct Invocation {
    options: LoadOptions,
    screen: Screen,
}

impl Invocation {
    fn new(everywhere: Everywhere) -> Self {
        let options = LoadOptions::of_process(everywhere.config, Mode::Serve);
        let screen = Screen::new(everywhere.json, options.env.get("COLUMNS").map(String::as_str));
        Self { options, screen }
    }

    fn config(&self, mode: Mode) -> Result<Config, Failure> {
        Ok(Config::load(&LoadOptions { mode, ..self.options.clone() })?)
    }

    fn variable(&self, name: &str) -> Option<&str> {
        self.options.env.get(name).map(String::as_str)
    }
}

/// Where this machine reaches a listener. One that listens on every address is reached on loopback.
fn local_url(listener: SocketAddr) -> Url {
    let ip = match listener.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    let address = SocketAddr::new(ip, listener.port());
    match Url::parse(&format!("http://{address}")) {
        Ok(url) => url,
        Err(error) => unreachable!("an address and a port make a URL: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Cli, clap::Error> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn every_command_of_the_manual_parses() {
        for line in [
            "hookgate init stripe --name shop",
            "hookgate dev",
            "hookgate dev --demo --exit",
            "hookgate serve --roles ingest,operator",
            "hookgate migrate --config other.toml",
            "hookgate check --strict --json",
            "hookgate send github push --times 3 --same-id",
            "hookgate send stripe invoice.paid --tamper --to http://127.0.0.1:9/in/x",
            "hookgate send stripe",
            "hookgate send meta --handshake --source pages",
            "hookgate deliveries list --state dead --source stripe --limit 5",
            "hookgate deliveries list --all",
            "hookgate deliveries show 0198 --json",
            "hookgate deliveries body 0198 -o body.json",
            "hookgate replay 0198 --handler a --handler b --force --api http://127.0.0.1:1",
            "hookgate explain --source stripe --request captured.http",
            "hookgate explain --source stripe --request - --at 2026-11-30T22:13:20Z --old-secret-env OLD --json",
            "hookgate jobs list --state waiting --handler billing --due now --lane cus_1",
            "hookgate jobs cancel --handler billing --source stripe --dry-run",
            "hookgate jobs cancel --delivery 0198 --event 1 --run 0 --running --yes --reason broken",
            "hookgate handlers list --json",
            "hookgate handlers retire billing",
            "hookgate handlers redrive billing --to billing-2 --dry-run",
            "hookgate pause --all --reason migration",
            "hookgate resume --source stripe --handler billing",
            "hookgate sources list",
            "hookgate sources show asana --json",
            "hookgate sources pair asana --for 5m --wait",
            "hookgate sources forget asana --secret 100",
            "hookgate breakers list",
            "hookgate breakers close http://127.0.0.1:3000",
            "hookgate breakers open ledger --for 5m --json",
            "hookgate lanes list --state halted --handler billing --source stripe --key in_1",
            "hookgate lanes show 000102030405060708090a0b0c0d0e0f --json",
            "hookgate lanes skip 000102030405060708090a0b0c0d0e0f --api http://127.0.0.1:1",
            "hookgate providers list",
            "hookgate providers list stripe",
            "hookgate --json providers show stripe",
        ] {
            assert!(parsed(line).is_ok(), "{line}: {}", parsed(line).expect_err("not ok"));
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_before_anything_is_done() {
        for line in [
            "hookgate",
            "hookgate dev --exit",
            "hookgate serve --roles ingest,cook",
            "hookgate send stripe invoice.paid --times 0",
            "hookgate deliveries list --state finished",
            "hookgate replay",
            "hookgate jobs cancel --yes",
            "hookgate jobs cancel --handler billing --event 1 --yes",
            "hookgate jobs cancel --handler billing --yes --dry-run",
            "hookgate handlers redrive billing",
            "hookgate pause",
            "hookgate pause --all --source stripe",
            "hookgate resume --all --reason why",
            "hookgate sources pair asana --for soon",
            "hookgate sources pair ../x",
            "hookgate lanes list --state stuck",
            "hookgate lanes pause ../x",
            "hookgate sources forget asana",
            "hookgate breakers open ledger --for ever",
            "hookgate deliveries list --all --limit 5",
            "hookgate send meta page --handshake",
            "hookgate explain --source stripe",
            "hookgate explain --source stripe --request a --at yesterday",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_listener_on_every_address_is_reached_on_loopback() {
        let url = |listener: &str| local_url(listener.parse().expect("an address")).to_string();
        assert_eq!(url("0.0.0.0:8080"), "http://127.0.0.1:8080/");
        assert_eq!(url("[::]:8080"), "http://[::1]:8080/");
        assert_eq!(url("192.0.2.1:80"), "http://192.0.2.1/");
    }
}
