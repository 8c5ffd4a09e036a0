//! `dev`: everything in one process on a developer's machine.

use super::exit::{Exit, Failure};
use super::{Invocation, demo, serve};
use crate::config::{LogFormat, Mode, ProcessRole};
use crate::gateway::Builder;

/// Secrets may stand in the file, every role runs here, logs are text, and without `database.url` Postgres comes along
/// in ./hookgate-data.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Show it working, with sources and secrets made up for it; your configuration is not read
    #[arg(long)]
    demo: bool,
    /// End after the demo: 0 only if everything happened as told
    #[arg(long, requires = "demo")]
    exit: bool,
}

pub(super) async fn run(invocation: &Invocation, builder: Builder, args: &Args) -> Result<Exit, Failure> {
    if args.demo {
        return demo::run(invocation, args.exit).await;
    }
    let mut config = invocation.config(Mode::Dev)?;
    config.server.roles = ProcessRole::ALL.into();
    config.log.format = LogFormat::Text;
    if config.sources.is_empty() {
        eprintln!("note: there is no source yet; add one with `hookgate init PROVIDER`");
    }
    serve::until_told(invocation, builder, config).await
}
