//! `handlers`: who takes events, who is served by nobody, and what becomes of one that is gone.

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::text;
use super::exit::{Exit, Failure};
use super::table::Table;
use crate::config::Name;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List them, with their sources, pauses and workers
    List {
        #[command(flatten)]
        api: Api,
    },
    /// Give one no more events, and cancel what is queued for it
    #[command(
        after_help = "Take it out of the program and its configuration first: whoever declares it again, with a release that \
                      is no older, revives it."
    )]
    Retire {
        /// Its name
        name: Name,
        #[command(flatten)]
        api: Api,
    },
    /// Hand the queued and dead jobs of one over to another, such as its new name
    Redrive {
        /// The handler that has them
        old: Name,
        /// The handler that goes on with them
        #[arg(long, value_name = "NEW")]
        to: Name,
        /// Say how many, and move none
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        api: Api,
    },
}

pub(super) async fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    let screen = invocation.screen;
    match command {
        Command::List { api } => {
            let page = Client::connect(invocation, api)?.get("handlers", &[]).await?;
            let items = page["items"].as_array().cloned().unwrap_or_default();
            screen.table(&table(&items));
            screen.value(&json!({ "items": items }));
        }
        Command::Retire { name, api } => {
            let client = Client::connect(invocation, api)?;
            let done =
                until_done(&client, &format!("handlers/{}/retire", name.as_str()), &json!({}), &["cancelled"]).await?;
            screen.line(format!("{} is retired: {} of its jobs are cancelled.", name.as_str(), done["cancelled"]));
            screen.value(&done);
        }
        Command::Redrive { old, to, dry_run, api } => {
            let client = Client::connect(invocation, api)?;
            let asked = json!({ "to": to.as_str(), "dry_run": dry_run });
            let path = format!("handlers/{}/redrive", old.as_str());
            let done = until_done(&client, &path, &asked, &["moved", "made", "left"]).await?;
            screen.line(moved(&done));
            screen.value(&done);
        }
    }
    Ok(Exit::Done)
}

/// Asks until the gateway says that nothing is left, and adds up.
async fn until_done(client: &Client, path: &str, asked: &Value, counts: &[&str]) -> Result<Value, Failure> {
    let mut done = client.post(path, asked).await?;
    while done["more"] == true {
        let next = client.post(path, asked).await?;
        let sums: Vec<i64> =
            counts.iter().map(|key| done[key].as_i64().unwrap_or(0) + next[key].as_i64().unwrap_or(0)).collect();
        let changed = done["changed"].take();
        done = next;
        for (key, sum) in counts.iter().zip(sums) {
            done[key] = json!(sum);
        }
        if !changed.is_null() {
            done["changed"] = changed;
        }
    }
    Ok(done)
}

fn moved(done: &Value) -> String {
    let (from, to) = (text(done, "from"), text(done, "to"));
    if done["dry_run"] == true {
        return format!("{} jobs of {from} would be looked at and handed over to {to}.", done["moved"]);
    }
    let mut line = format!("{} jobs of {from} ended, and {} of {to} were made.", done["moved"], done["made"]);
    if done["left"].as_i64().is_some_and(|left| left > 0) {
        line += &format!(" {} stay: {to} does not take their event type, or their payload is gone.", done["left"]);
    }
    if done["running"].as_i64().is_some_and(|running| running > 0) {
        line += &format!(" {} run, and stay.", done["running"]);
    }
    line
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(["HANDLER", "KIND", "ORDER", "WORKERS", "STATE", "SOURCES"]);
    for handler in items {
        table.row([
            text(handler, "name"),
            text(handler, "kind"),
            text(handler, "order"),
            handler["live_workers"].to_string(),
            state(handler),
            list(&handler["sources"]).join(" "),
        ]);
    }
    table
}

/// What an operator should know of it, the gravest first.
fn state(handler: &Value) -> String {
    let (sources, paused) = (list(&handler["sources"]), list(&handler["paused"]));
    let unserved = &handler["handler_unserved"];
    if let Some(at) = handler["retired_at"].as_str() {
        format!("retired {at}")
    } else if !unserved.is_null() {
        format!("unserved since {}: {} jobs wait", text(unserved, "since"), unserved["jobs"])
    } else if paused.is_empty() {
        "live".to_owned()
    } else if paused.len() == sources.len() {
        "paused".to_owned()
    } else {
        format!("paused on {}", paused.join(" "))
    }
}

fn list(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_that_is_known_of_a_handler_is_its_state() {
        let of = |change: Value| {
            let mut handler =
                json!({"sources": ["a", "b"], "paused": [], "handler_unserved": null, "retired_at": null});
            for (key, value) in change.as_object().expect("an object") {
                handler[key] = value.clone();
            }
            state(&handler)
        };
        assert_eq!(of(json!({})), "live");
        assert_eq!(of(json!({"paused": ["a"]})), "paused on a");
        assert_eq!(of(json!({"paused": ["a", "b"]})), "paused");
        let unserved = json!({"since": "T", "jobs": 3});
        assert_eq!(of(json!({"paused": ["a"], "handler_unserved": unserved})), "unserved since T: 3 jobs wait");
        assert_eq!(of(json!({"retired_at": "T"})), "retired T");
    }
}
