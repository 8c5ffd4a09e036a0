//! `breakers`: which destinations and dependencies are left alone, and a word on it.

use std::time::Duration;

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::text;
use super::exit::{Exit, Failure};
use super::table::Table;
use crate::config::{parse_duration, show_duration};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List those that ever failed
    List {
        #[command(flatten)]
        api: Api,
    },
    /// Call it again at once
    Close {
        /// Its name, as `list` has it
        name: String,
        #[command(flatten)]
        api: Api,
    },
    /// Leave it alone for a while: its jobs wait, and use up no attempt
    Open {
        /// Scheme, host and port of a forward's destination, such as https://app.example.com:443, or a dependency's name
        name: String,
        /// How long; then one job tries it
        #[arg(long = "for", value_name = "DURATION", default_value = "10m", value_parser = parse_duration)]
        length: Duration,
        #[command(flatten)]
        api: Api,
    },
}

pub(super) async fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    let screen = invocation.screen;
    let done = match command {
        Command::List { api } => {
            let page = Client::connect(invocation, api)?.get("breakers", &[]).await?;
            let items = page["items"].as_array().cloned().unwrap_or_default();
            screen.table(&table(&items));
            json!({ "items": items })
        }
        Command::Close { name, api } => {
            let done = Client::connect(invocation, api)?.post("breakers/close", &json!({ "name": name })).await?;
            screen.line(format!("{name} is called again. Every gateway knows within a second."));
            done
        }
        Command::Open { name, length, api } => {
            let asked = json!({ "name": name, "for": show_duration(*length) });
            let done = Client::connect(invocation, api)?.post("breakers/open", &asked).await?;
            screen.line(format!("{name} is left alone until {}; then one job tries it.", text(&done, "open_until")));
            done
        }
    };
    screen.value(&done);
    Ok(Exit::Done)
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(["BREAKER", "STATE", "FAILURES", "OPENED", "UNTIL"]);
    for breaker in items {
        let is_closed = breaker["state"] == "closed";
        let while_open = |key: &str| if is_closed { String::new() } else { text(breaker, key) };
        table.row([
            text(breaker, "name"),
            text(breaker, "state"),
            text(breaker, "failures"),
            while_open("opened_at"),
            while_open("open_until"),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_tells_until_when_it_is_left_alone() {
        let open = json!({"name": "http://a:80", "state": "open", "failures": 10, "opened_at": "T", "open_until": "U"});
        let closed = json!({"name": "ledger", "state": "closed", "failures": 2, "opened_at": "T", "open_until": null});
        assert_eq!(
            table(&[open, closed]).lines(None),
            [
                "BREAKER      STATE   FAILURES  OPENED  UNTIL",
                "http://a:80  open    10        T       U",
                "ledger       closed  2         -       -",
            ]
        );
    }
}
