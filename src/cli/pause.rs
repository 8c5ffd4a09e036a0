//! `pause` and `resume`: handlers stop starting while receiving goes on.

use serde_json::{Value, json};

use super::Invocation;
use super::client::{Api, Client};
use super::deliveries::text;
use super::exit::{Exit, Failure};
use super::table::Table;
use crate::config::Name;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "What runs ends; what is received meanwhile is queued. A pause lasts until it is resumed, through restarts and \
                  deploys. A handler runs when neither it, nor its source, nor everything is paused."
)]
pub(super) struct Pause {
    #[command(flatten)]
    what: What,
    /// Why, for whoever finds it paused
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    api: Api,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Ends the pause of just this scope: `resume --all` leaves a pause of one source in force.")]
pub(super) struct Resume {
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    api: Api,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct What {
    /// Every handler on every source
    #[arg(long, conflicts_with_all = ["source", "handler"])]
    all: bool,
    /// Every handler on this source; with --handler, that one on it
    #[arg(long, value_name = "SOURCE")]
    source: Option<Name>,
    /// This handler on every source
    #[arg(long, value_name = "HANDLER")]
    handler: Option<Name>,
}

impl What {
    fn asked(&self) -> Value {
        match self.all {
            true => json!({"all": true}),
            false => json!({
                "source": self.source.as_ref().map(Name::as_str), "handler": self.handler.as_ref().map(Name::as_str),
            }),
        }
    }

    fn told(&self) -> String {
        match (&self.source, &self.handler) {
            (Some(source), Some(handler)) => format!("Handler {} on source {}", handler.as_str(), source.as_str()),
            (Some(source), None) => format!("Source {}", source.as_str()),
            (None, Some(handler)) => format!("Handler {}", handler.as_str()),
            (None, None) => "Everything".to_owned(),
        }
    }
}

pub(super) async fn pause(invocation: &Invocation, wanted: &Pause) -> Result<Exit, Failure> {
    let mut asked = wanted.what.asked();
    asked["reason"] = json!(wanted.reason);
    let done = Client::connect(invocation, &wanted.api)?.post("pause", &asked).await?;
    let what = match done["changed"] == true {
        true => "is paused",
        false => "was paused already",
    };
    tell(invocation, &format!("{} {what}.", wanted.what.told()), &done);
    Ok(Exit::Done)
}

pub(super) async fn resume(invocation: &Invocation, wanted: &Resume) -> Result<Exit, Failure> {
    let done = Client::connect(invocation, &wanted.api)?.post("resume", &wanted.what.asked()).await?;
    let what = match done["changed"] == true {
        true => "is resumed",
        false => "was not paused",
    };
    tell(invocation, &format!("{} {what}.", wanted.what.told()), &done);
    Ok(Exit::Done)
}

fn tell(invocation: &Invocation, sentence: &str, done: &Value) {
    let screen = invocation.screen;
    screen.line(sentence);
    let pauses = done["pauses"].as_array().cloned().unwrap_or_default();
    match pauses.is_empty() {
        true => screen.line("Nothing is paused now."),
        false => {
            screen.line("Paused now:\n");
            screen.table(&table(&pauses));
        }
    }
    screen.value(done);
}

fn table(pauses: &[Value]) -> Table {
    let mut table = Table::new(["WHAT", "SINCE", "BY", "REASON"]);
    for pause in pauses {
        let (source, handler) = (text(pause, "source"), text(pause, "handler"));
        let what = match text(pause, "scope").as_str() {
            "source" => format!("source {source}"),
            "handler" => format!("handler {handler}"),
            "subscription" => format!("handler {handler} on source {source}"),
            _ => "everything".to_owned(),
        };
        table.row([what, text(pause, "paused_at"), text(pause, "paused_by"), text(pause, "reason")]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pause_in_force_is_shown_with_who_and_why() {
        let pauses = [
            json!({"scope": "all", "paused_at": "T", "paused_by": "ops", "reason": "migration"}),
            json!({"scope": "subscription", "source": "stripe", "handler": "mail", "paused_at": "U", "paused_by": "ops"}),
        ];
        assert_eq!(
            table(&pauses).lines(None),
            [
                "WHAT                           SINCE  BY   REASON",
                "everything                     T      ops  migration",
                "handler mail on source stripe  U      ops  -",
            ]
        );
    }
}
