//! `dev`: everything in one process on a developer's machine.

use super::exit::{Exit, Failure};
use super::{Invocation, demo, serve};
use crate::config::{LogFormat, Mode, ProcessRole};
use crate::gateway::Builder;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Unlike `serve`: secrets may stand in the configuration, this process has every role, logs are text.
Without database.url, Postgres comes along in ./hookgate-data.")]
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
