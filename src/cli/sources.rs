//! `sources`: what receives, with which secrets, and pairing with providers that send the secret themselves.

use std::time::Duration;

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::text;
use super::exit::{Exit, Failure};
use super::table::Table;
use crate::config::{Name, parse_duration, show_duration};

/// How often `pair --wait` asks.
const ASK: Duration = Duration::from_millis(500);

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List them
    List {
        #[command(flatten)]
        api: Api,
    },
    /// Show one with its paired secrets, never the secrets themselves
    Show {
        /// Its name
        name: Name,
        #[command(flatten)]
        api: Api,
    },
    /// Take the secret that the provider sends when you make its webhook
    Pair(Pair),
    /// Stop accepting a paired secret, and wipe it
    Forget {
        /// The source's name
        name: Name,
        /// The secret's number, as `show` has it
        #[arg(long, value_name = "NUMBER")]
        secret: i16,
        #[command(flatten)]
        api: Api,
    },
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "While the window is open, whoever reaches the source's URL first decides its secret: open it just \
                        before you make the webhook. It takes one secret and is closed then."
)]
pub(super) struct Pair {
    /// The source's name
    name: Name,
    /// How long to take one
    #[arg(long = "for", value_name = "DURATION", default_value = "10m", value_parser = parse_duration)]
    length: Duration,
    /// Wait until it came, or the time is over
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    api: Api,
}

pub(super) async fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    let screen = invocation.screen;
    match command {
        Command::List { api } => {
            let page = Client::connect(invocation, api)?.get("sources", &[]).await?;
            let items = page["items"].as_array().cloned().unwrap_or_default();
            screen.table(&table(&items));
            screen.value(&json!({ "items": items }));
            Ok(Exit::Done)
        }
        Command::Show { name, api } => {
            let source = Client::connect(invocation, api)?.get(&format!("sources/{name}"), &[]).await?;
            details(&source).iter().for_each(|line| screen.line(line));
            screen.value(&source);
            Ok(Exit::Done)
        }
        Command::Pair(wanted) => pair(invocation, wanted).await,
        Command::Forget { name, secret, api } => {
            let client = Client::connect(invocation, api)?;
            let done = client.post(&format!("sources/{name}/forget"), &json!({ "secret": secret })).await?;
            screen
                .line(format!("Secret {secret} of {name} is wiped. Every gateway stops accepting it within seconds."));
            screen.value(&done);
            Ok(Exit::Done)
        }
    }
}

async fn pair(invocation: &Invocation, wanted: &Pair) -> Result<Exit, Failure> {
    let (screen, name) = (invocation.screen, &wanted.name);
    let client = Client::connect(invocation, &wanted.api)?;
    let length = show_duration(wanted.length);
    let opened = client.post(&format!("sources/{name}/pair"), &json!({ "for": length })).await?;
    screen.line(format!(
        "{name} takes one secret until {}. Make the webhook at the provider now.",
        text(&opened, "closes_at")
    ));
    if !wanted.wait {
        screen.value(&opened);
        return Ok(Exit::Done);
    }
    loop {
        let window = client.get(&format!("sources/{name}"), &[]).await?["window"].take();
        if !window["secret"].is_null() {
            screen.line(format!("Paired: secret {} of {name} is live.", window["secret"]));
            screen.value(&window);
            return Ok(Exit::Done);
        }
        if window["open"] != true {
            screen.value(&window);
            return Err(Failure::no(format!("no secret came for {name} while the window was open"))
                .advise("open it again, and look at the refusals: does the provider reach this URL?"));
        }
        tokio::time::sleep(ASK).await;
    }
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(["SOURCE", "PROVIDER", "SECRETS", "PAIRED", "SIGNED", "PAIRING"]);
    for source in items {
        table.row([
            text(source, "name"),
            text(source, "provider"),
            live(source).to_string(),
            text(source, "paired_at"),
            signed(source),
            pairing(source),
        ]);
    }
    table
}

/// Configured and paired ones.
fn live(source: &Value) -> u64 {
    let count = |key: &str| source[key].as_u64().unwrap_or(0);
    count("configured_secrets") + count("paired_secrets")
}

fn signed(source: &Value) -> String {
    let parts = [("body", "body"), ("id", "id"), ("event_type", "type"), ("time", "time")];
    let signed: Vec<&str> =
        parts.iter().filter(|(key, _)| source["signed"][key] == true).map(|(_, shown)| *shown).collect();
    match (source["signed"].is_null(), signed.is_empty()) {
        (true, _) => String::new(),
        (false, true) => "nothing".to_owned(),
        (false, false) => signed.join(" "),
    }
}

fn pairing(source: &Value) -> String {
    match (source["pairing_until"].as_str(), source["offers_secrets"] == true && live(source) == 0) {
        (Some(until), _) => format!("open until {until}"),
        (None, true) => "waits for `hookgate sources pair`".to_owned(),
        (None, false) => String::new(),
    }
}

fn details(source: &Value) -> Vec<String> {
    let mut lines = vec![
        format!("source     {}", text(source, "name")),
        format!("provider   {}", text(source, "provider")),
        format!("signed     {}", signed(source)),
        format!("secrets    {} configured, {} paired", source["configured_secrets"], source["paired_secrets"]),
    ];
    let pairing = pairing(source);
    if !pairing.is_empty() {
        lines.push(format!("pairing    {pairing}"));
    }
    for secret in source["secrets"].as_array().into_iter().flatten() {
        let state = match (secret["forgotten_at"].as_str(), secret["sealed_with"].as_str()) {
            (Some(at), _) => format!("forgotten {at}"),
            (None, Some("current")) => "live".to_owned(),
            (None, Some("old")) => "live, sealed with an old key".to_owned(),
            (None, _) => "sealed with a key this gateway does not have".to_owned(),
        };
        lines.push(format!(
            "secret     {}  paired {} by {}: {state}",
            secret["number"],
            text(secret, "paired_at"),
            text(secret, "opened_by")
        ));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asana() -> Value {
        json!({
            "name": "asana", "provider": "asana", "configured_secrets": 0, "paired_secrets": 1, "offers_secrets": true,
            "paired_at": "2026-11-30T22:00:00.000000Z", "pairing_until": null,
            "signed": {"body": true, "id": false, "event_type": true, "time": false},
            "secrets": [
                {"number": 101, "paired_at": "T", "opened_by": "ops", "forgotten_at": null, "sealed_with": "unknown"},
                {"number": 100, "paired_at": "T", "opened_by": "ops", "forgotten_at": "U", "sealed_with": "current"},
            ],
        })
    }

    #[test]
    fn a_row_tells_what_is_signed_and_whether_it_is_paired() {
        let waiting = json!({"name": "n", "provider": "notion", "configured_secrets": 0, "paired_secrets": 0,
                             "offers_secrets": true, "signed": {"body": false}});
        assert_eq!(
            table(&[asana(), waiting]).lines(None),
            [
                "SOURCE  PROVIDER  SECRETS  PAIRED                       SIGNED     PAIRING",
                "asana   asana     1        2026-11-30T22:00:00.000000Z  body type  -",
                "n       notion    0        -                            nothing    waits for `hookgate sources pair`",
            ]
        );
    }

    #[test]
    fn each_paired_secret_is_shown_by_number_and_state() {
        let lines = details(&asana()).join("\n");
        assert!(
            lines.contains("secret     101  paired T by ops: sealed with a key this gateway does not have"),
            "{lines}"
        );
        assert!(lines.contains("secret     100  paired T by ops: forgotten U"), "{lines}");
    }
}
