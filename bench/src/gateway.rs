//! The gateway that is measured: the real one, built with the same flags, in a process of its own, so that its
//! processor time is known.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use hookgate::config::{Config, Mode};
use hookgate::{Gateway, telemetry};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use crate::documents::SECRET;
use crate::{Failed, processor};

/// What the process is told.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long)]
    database: String,
}

/// Every setting is the default, but for where it listens and what it runs.
fn config(database: &str, roles: &str, more: &str) -> Result<Config, Failed> {
    let toml = format!(
        "[server]\ningest = \"127.0.0.1:0\"\noperator = \"127.0.0.1:0\"\nroles = {roles}\n\
         [database]\nurl = {database:?}\n\
         [source.github]\nprovider = \"github\"\nsecrets = [{{ literal = \"{SECRET}\" }}]\n{more}"
    );
    Ok(Config::from_toml(&toml, &BTreeMap::new(), Mode::Dev)?)
}

/// Makes the schema and declares one handler, so that each delivery makes one job; nothing runs it.
pub(crate) async fn prepare(database: &str, order: &str) -> Result<(), Failed> {
    let forward = format!(
        "[[forward]]\nname = \"bench\"\nfrom = \"github\"\nto = \"http://127.0.0.1:9/\"\nsign = \"none\"\norder = \"{order}\"\n"
    );
    let config = config(database, r#"["ingest", "worker"]"#, &forward)?;
    Gateway::builder().config(config.clone()).migrate().await?;
    Gateway::builder().config(config).start().await?.shutdown().await;
    Ok(())
}

/// The child: says where it listens, serves until its input ends, says what it recorded.
pub(crate) async fn run(options: &Options) -> Result<(), Failed> {
    let metrics = telemetry::metrics()?;
    let running = Gateway::builder().config(config(&options.database, r#"["ingest"]"#, "")?).start().await?;
    println!("{}", running.ingest_addr().ok_or("the gateway does not listen")?);
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    running.shutdown().await;
    print!("{}", metrics.render());
    Ok(())
}

/// The parent's side of it.
#[derive(Debug)]
pub(crate) struct Measured {
    child: Child,
    output: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

/// What the recorder did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Recorded {
    /// Deliveries a commit, on average.
    pub(crate) batch: f64,
    /// How long one took, on average.
    pub(crate) record: Duration,
}

impl Measured {
    pub(crate) async fn start(database: &str) -> Result<Self, Failed> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["gateway", "--database", database]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("the gateway has no output")?);
        let mut line = String::new();
        output.read_line(&mut line).await?;
        let address = line.trim().parse().map_err(|_| "the gateway did not start")?;
        Ok(Self { child, output, address })
    }

    /// Processor time so far.
    pub(crate) fn used(&self) -> Duration {
        self.child.id().map_or(Duration::ZERO, processor::of_process)
    }

    /// Ends it in order. Its connections close, which makes Postgres' statistics complete.
    pub(crate) async fn stop(mut self) -> Result<Recorded, Failed> {
        drop(self.child.stdin.take());
        let mut metrics = String::new();
        self.output.read_to_string(&mut metrics).await?;
        if !self.child.wait().await?.success() {
            return Err("the gateway ended badly".into());
        }
        let mean = |name: &str| {
            let value = |suffix: &str| -> f64 {
                let prefix = format!("{name}_{suffix} ");
                metrics.lines().find_map(|line| line.strip_prefix(&prefix)?.parse().ok()).unwrap_or_default()
            };
            let count = value("count");
            if count > 0.0 { value("sum") / count } else { 0.0 }
        };
        Ok(Recorded {
            batch: mean(telemetry::RECORD_BATCH_SIZE),
            record: Duration::from_secs_f64(mean(telemetry::RECORD_SECONDS)),
        })
    }
}
