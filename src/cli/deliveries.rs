//! `deliveries`: what was received and what became of it, through the operator API.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::exit::{Exit, Failure};
use super::table::Table;

/// The API's longest page.
const PAGE: usize = 200;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List them, newest first
    List(List),
    /// Show one with its jobs and attempts
    Show {
        /// The delivery's id
        id: Id,
        #[command(flatten)]
        api: Api,
    },
    /// Write one's body, byte for byte as received
    Body {
        /// The delivery's id
        id: Id,
        /// The file to write to, instead of standard output
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        #[command(flatten)]
        api: Api,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// Only this source's
    #[arg(long)]
    source: Option<String>,
    /// Only events like this, such as "invoice.*"
    #[arg(long)]
    event: Option<String>,
    /// Only those in this state
    #[arg(long, value_parser = ["unhandled", "filtered", "conflict", "pending", "dead", "done"])]
    state: Option<String>,
    /// Only those with this id, the provider's or hookgate's
    #[arg(long)]
    id: Option<String>,
    /// Only those received from then on (2026-01-31T12:00:00Z, or a delivery's id)
    #[arg(long, value_name = "TIME")]
    after: Option<String>,
    /// Only those received before then
    #[arg(long, value_name = "TIME")]
    before: Option<String>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    limit: usize,
    /// Every one, however many
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    #[command(flatten)]
    api: Api,
}

/// A delivery's id: hex digits and dashes, so that it can stand in a path.
#[derive(Debug, Clone)]
pub(super) struct Id(String);

impl std::str::FromStr for Id {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
            Ok(Self(text.to_owned()))
        } else {
            Err("a delivery's id looks like 01998f6e-7a11-7c3e-9d0b-2f4c1a7be502; for a provider's id use `hookgate deliveries list --id ID`".to_owned())
        }
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "write a number from 1 on, or use --all".to_owned())
}

pub(super) async fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::List(wanted) => list(invocation, wanted).await,
        Command::Show { id, api } => show(invocation, &Client::connect(invocation, api)?, id).await,
        Command::Body { id, output, api } => {
            let bytes = Client::connect(invocation, api)?.bytes(&format!("deliveries/{id}/body")).await?;
            let written = match output {
                Some(file) => std::fs::write(file, bytes),
                None => invocation.screen.bytes(&bytes),
            };
            written.map(|()| Exit::Done).map_err(|error| Failure::no(format!("the body cannot be written: {error}")))
        }
    }
}

async fn list(invocation: &Invocation, wanted: &List) -> Result<Exit, Failure> {
    let client = Client::connect(invocation, &wanted.api)?;
    let most = if wanted.all { usize::MAX } else { wanted.limit };
    let (mut items, mut next) = (Vec::new(), None);
    // A page may fall short, or be empty, while there are more: only a missing `next` is the end.
    loop {
        let mut query = wanted.filters();
        query.push(("limit", PAGE.min(most - items.len()).to_string()));
        query.extend(next.take().map(|cursor: String| ("cursor", cursor)));
        let page = client.get("deliveries", &query).await?;
        items.extend(page["items"].as_array().cloned().unwrap_or_default());
        next = page["next"].as_str().map(str::to_owned);
        if next.is_none() || items.len() >= most {
            break;
        }
    }
    invocation.screen.table(&table(&items));
    if next.is_some() {
        invocation
            .screen
            .line(format!("\nThere may be more than these {}: --limit N or --all shows them.", items.len()));
    }
    invocation.screen.value(&json!({"items": items, "more": next.is_some()}));
    Ok(Exit::Done)
}

impl List {
    fn filters(&self) -> Vec<(&'static str, String)> {
        let filters = [
            ("source", &self.source),
            ("event", &self.event),
            ("state", &self.state),
            ("id", &self.id),
            ("after", &self.after),
            ("before", &self.before),
        ];
        filters.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(["ID", "RECEIVED", "SOURCE", "EVENT", "STATE", "COPIES", "BYTES", "PROVIDER ID"]);
    for item in items {
        table.row([
            text(item, "id"),
            time(item, "received_at"),
            text(item, "source"),
            text(item, "event_type"),
            text(item, "state"),
            text(item, "copies"),
            text(item, "body_size"),
            text(item, "provider_id"),
        ]);
    }
    table
}

async fn show(invocation: &Invocation, client: &Client, id: &Id) -> Result<Exit, Failure> {
    let delivery = client.get(&format!("deliveries/{id}"), &[]).await?;
    let screen = invocation.screen;
    for (label, pointer) in [
        ("delivery", "/id"),
        ("source", "/source"),
        ("event", "/event_type"),
        ("state", "/state"),
        ("received", "/received_at"),
        ("provider id", "/provider_id"),
        ("ordering key", "/ordering_key"),
        ("bytes", "/body/size"),
        ("sha-256", "/body/sha256"),
        ("copies", "/copies"),
        ("conflicts with", "/conflict_with"),
    ] {
        let value = delivery.pointer(pointer).map(word).unwrap_or_default();
        if !value.is_empty() {
            screen.line(format!("{label:<15} {value}"));
        }
    }
    for (title, table) in [("Jobs", jobs(&delivery)), ("Attempts", attempts(&delivery))] {
        screen.line(format!("\n{title}"));
        screen.table(&table);
    }
    screen.value(&delivery);
    Ok(Exit::Done)
}

fn jobs(delivery: &Value) -> Table {
    let mut table = Table::new(["HANDLER", "RUN", "STATE", "ATTEMPTS", "DUE", "LANE", "ERROR"]);
    for job in delivery["jobs"].as_array().into_iter().flatten() {
        table.row([
            text(job, "handler"),
            text(job, "run"),
            text(job, "state"),
            text(job, "attempt"),
            time(job, "due"),
            text(job, "lane"),
            text(job, "error"),
        ]);
    }
    table
}

fn attempts(delivery: &Value) -> Table {
    let mut table = Table::new(["HANDLER", "RUN", "ATTEMPT", "OUTCOME", "STARTED", "STATUS", "ERROR"]);
    for attempt in delivery["attempts"].as_array().into_iter().flatten() {
        table.row([
            text(attempt, "handler"),
            text(attempt, "run"),
            text(attempt, "attempt"),
            text(attempt, "outcome"),
            time(attempt, "started_at"),
            text(attempt, "status"),
            text(attempt, "error"),
        ]);
    }
    table
}

/// A member as text; nothing where it is null or missing.
pub(super) fn text(value: &Value, key: &str) -> String {
    word(&value[key])
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A time to the millisecond: what a person compares.
fn time(value: &Value, key: &str) -> String {
    let text = text(value, key);
    match chrono::DateTime::parse_from_rfc3339(&text) {
        Ok(time) => time.to_utc().format("%Y-%m-%d %H:%M:%S%.3fZ").to_string(),
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_are_shown_in_columns_and_what_is_missing_as_a_dash() {
        let items = [json!({
            "id": "0199", "received_at": "2026-01-31T12:00:00.123456Z", "source": "stripe", "event_type": null,
            "state": "dead", "copies": 2, "body_size": 17, "provider_id": "evt_1",
        })];
        let lines = table(&items).lines(None);
        assert_eq!(
            lines[1].split_whitespace().collect::<Vec<_>>(),
            ["0199", "2026-01-31", "12:00:00.123Z", "stripe", "-", "dead", "2", "17", "evt_1"]
        );
    }

    #[test]
    fn an_id_that_could_lead_elsewhere_is_refused() {
        for bad in ["", "../sources", "x", "0199/body", "0199?x"] {
            assert!(bad.parse::<Id>().is_err(), "{bad}");
        }
        assert!("01998f6e-7a11-7c3e-9d0b-2f4c1a7be502".parse::<Id>().is_ok());
    }
}
