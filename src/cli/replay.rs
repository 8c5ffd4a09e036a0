//! `replay`: a delivery's handlers again, on an operator's order.

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::{Id, text};
use super::exit::{Exit, Failure};
use super::table::Table;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without options: the handlers that are not done. What succeeded runs again only with --force; what a condition kept back, with --handler or --force."
)]
pub(super) struct Args {
    /// The delivery's id
    id: Id,
    /// Only this handler; may be given several times
    #[arg(long = "handler", value_name = "HANDLER")]
    handlers: Vec<String>,
    /// Run handlers that are done once more; what they write outside hookgate's guards is written twice
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    api: Api,
}

pub(super) async fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Failure> {
    let client = Client::connect(invocation, &args.api)?;
    let mut wanted = json!({"force": args.force});
    if !args.handlers.is_empty() {
        wanted["handlers"] = json!(args.handlers);
    }
    let done = client.post(&format!("deliveries/{}/replay", args.id), &wanted).await?;
    invocation.screen.table(&table(&done));
    invocation.screen.value(&done);
    Ok(Exit::Done)
}

fn table(done: &Value) -> Table {
    let mut table = Table::new(["HANDLER", "WHAT"]);
    for (key, what) in
        [("queued", "queued"), ("redriven", "was dead, queued afresh"), ("hastened", "was waiting, due now")]
    {
        for handler in done[key].as_array().into_iter().flatten() {
            table.row([handler.as_str().unwrap_or_default().to_owned(), what.to_owned()]);
        }
    }
    for skipped in done["skipped"].as_array().into_iter().flatten() {
        table.row([text(skipped, "handler"), format!("left alone: {}", text(skipped, "why"))]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handler_is_listed_with_what_was_done_about_it() {
        let done = json!({
            "run": 4, "queued": ["a"], "redriven": ["b"], "hastened": ["c"],
            "skipped": [{"handler": "d", "why": "done"}],
        });
        assert_eq!(
            table(&done).lines(None),
            [
                "HANDLER  WHAT",
                "a        queued",
                "b        was dead, queued afresh",
                "c        was waiting, due now",
                "d        left alone: done",
            ]
        );
    }
}
