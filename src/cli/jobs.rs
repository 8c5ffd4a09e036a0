//! `jobs`: unfinished work, and ending it.

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::{Id, text};
use super::exit::{Exit, Failure};
use super::table::Table;
use crate::config::Name;

/// The API's longest page.
const PAGE: usize = 200;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List unfinished ones, of the newest delivery first
    List(List),
    /// End them: they are dead as cancelled, and `replay` brings them back
    Cancel(Cancel),
}

#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// Only those in this state
    #[arg(long, value_parser = ["ready", "running", "waiting", "held"])]
    state: Option<String>,
    /// Only this handler's
    #[arg(long)]
    handler: Option<Name>,
    /// Only this source's
    #[arg(long)]
    source: Option<Name>,
    /// Only those with this ordering key, of handlers that order by it
    #[arg(long, value_name = "KEY")]
    lane: Option<String>,
    /// Only those whose time has come, or has not
    #[arg(long, value_parser = ["now", "later"])]
    due: Option<String>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    api: Api,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Either --dry-run or --yes is needed. What runs is left and counted, unless --running: then its result is \
                  refused and what it wrote through cx.tx() is rolled back; what it did elsewhere is done."
)]
pub(super) struct Cancel {
    #[command(flatten)]
    which: Which,
    /// Only this event of the delivery, from 0
    #[arg(long, value_name = "N", requires = "delivery")]
    event: Option<u32>,
    /// Only this run of the delivery: 0 is the live one
    #[arg(long, value_name = "N", requires = "delivery")]
    run: Option<u32>,
    /// Also those that run
    #[arg(long)]
    running: bool,
    /// Why, for whoever finds them dead
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Say how many, and end none
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Do it
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    api: Api,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct Which {
    /// Those of this delivery
    #[arg(long, value_name = "ID")]
    delivery: Option<Id>,
    /// Those of this handler
    #[arg(long)]
    handler: Option<Name>,
    /// Those of this source
    #[arg(long)]
    source: Option<Name>,
}

pub(super) async fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::List(wanted) => list(invocation, wanted).await,
        Command::Cancel(wanted) => cancel(invocation, wanted).await,
    }
}

async fn list(invocation: &Invocation, wanted: &List) -> Result<Exit, Failure> {
    let client = Client::connect(invocation, &wanted.api)?;
    let most = wanted.limit as usize;
    let (mut items, mut next) = (Vec::new(), None);
    // A page may fall short, or be empty, while there are more: only a missing `next` is the end.
    loop {
        let mut query = wanted.filters();
        query.push(("limit", PAGE.min(most - items.len()).to_string()));
        query.extend(next.take().map(|cursor: String| ("cursor", cursor)));
        let page = client.get("jobs", &query).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        next = page["next"].as_str().map(str::to_owned);
        if next.is_none() || items.len() >= most {
            break;
        }
    }
    invocation.screen.table(&table(&items));
    if next.is_some() {
        invocation.screen.line(format!("\nThere may be more than these {}: --limit N shows them.", items.len()));
    }
    invocation.screen.value(&json!({"items": items, "more": next.is_some()}));
    Ok(Exit::Done)
}

impl List {
    fn filters(&self) -> Vec<(&'static str, String)> {
        let name = |name: &Option<Name>| name.as_ref().map(|name| name.as_str().to_owned());
        let filters = [
            ("state", self.state.clone()),
            ("handler", name(&self.handler)),
            ("source", name(&self.source)),
            ("lane", self.lane.clone()),
            ("due", self.due.clone()),
        ];
        filters.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

async fn cancel(invocation: &Invocation, wanted: &Cancel) -> Result<Exit, Failure> {
    let client = Client::connect(invocation, &wanted.api)?;
    let mut asked = json!({
        "delivery": wanted.which.delivery.as_ref().map(ToString::to_string),
        "handler": wanted.which.handler.as_ref().map(Name::as_str),
        "source": wanted.which.source.as_ref().map(Name::as_str),
        "event": wanted.event, "run": wanted.run, "running": wanted.running, "reason": wanted.reason,
        "dry_run": !wanted.yes,
    });
    let mut done = client.post("jobs/cancel", &asked).await?;
    if !wanted.yes {
        let count = &done["cancelled"];
        if !wanted.dry_run {
            return Err(Failure::usage(format!("this would end {count} jobs")).advise("say --yes to do it"));
        }
        invocation.screen.line(format!("{count} jobs would end.{}", left(&done)));
        invocation.screen.value(&done);
        return Ok(Exit::Done);
    }
    let mut cancelled = done["cancelled"].as_i64().unwrap_or(0);
    while done["more"] == true {
        asked["dry_run"] = json!(false);
        done = client.post("jobs/cancel", &asked).await?;
        cancelled += done["cancelled"].as_i64().unwrap_or(0);
    }
    done["cancelled"] = json!(cancelled);
    invocation.screen.line(format!("{cancelled} jobs are cancelled.{}", left(&done)));
    invocation.screen.value(&done);
    Ok(Exit::Done)
}

/// What of the selection runs.
fn left(done: &Value) -> String {
    match done["running"].as_i64() {
        Some(running) if running > 0 => format!(" {running} run and are left: --running ends them too."),
        _ => String::new(),
    }
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(["DELIVERY", "EVENT", "RUN", "SOURCE", "HANDLER", "STATE", "DUE", "FAILURES", "LANE"]);
    for job in items {
        let state = match job["paused"] == true && job["state"] != "running" {
            true => format!("{} (paused)", text(job, "state")),
            false => text(job, "state"),
        };
        table.row([
            text(job, "delivery"),
            job["event"].to_string(),
            job["run"].to_string(),
            text(job, "source"),
            text(job, "handler"),
            state,
            text(job, "due"),
            job["failures"].to_string(),
            text(job, "lane"),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_a_pause_holds_says_so() {
        let job = |state: &str| {
            json!({"delivery": "d", "event": 0, "run": 0, "source": "stripe", "handler": "mail", "state": state,
                   "paused": true, "due": "T", "failures": 2, "lane": null})
        };
        assert_eq!(
            table(&[job("ready"), job("running")]).lines(None),
            [
                "DELIVERY  EVENT  RUN  SOURCE  HANDLER  STATE           DUE  FAILURES  LANE",
                "d         0      0    stripe  mail     ready (paused)  T    2         -",
                "d         0      0    stripe  mail     running         T    2         -",
            ]
        );
    }
}
