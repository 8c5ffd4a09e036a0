//! `dev --demo`: a gateway that shows itself working, on webhooks it sends to itself.
//!
//! Promise: every line of the timeline is what an HTTP answer or the operator API said, and the verdict is made from
//! the same. A second run works as the first: its ids and secrets are its own.

mod cast;
mod story;
mod verdict;

use std::path::Path;

use serde_json::json;

use super::client::Client;
use super::exit::{Exit, Failure};
use super::screen::Screen;
use super::serve::{self, Stop};
use super::{Invocation, local_url};
use crate::gateway::{Gateway, Running};
use cast::{Secrets, Sender};
use story::Story;
use verdict::{Act, Sent, differences};

/// Where the configuration is left, so that `send` and the others can talk to the demo.
const LEFT: &str = "./hookgate-data/demo.toml";
const PORTS: [u16; 2] = [8080, 8081];

pub(super) async fn run(invocation: &Invocation, exit: bool) -> Result<Exit, Failure> {
    let screen = invocation.screen;
    let stop = Stop::listen()?;
    let [ingest, operator] = PORTS.map(cast::address);
    let secrets = Secrets::fresh();
    let text = cast::configuration(ingest, operator, &secrets);
    let config = cast::resolve(&text, invocation.variable("HOOKGATE_PG_BIN"))?;
    let senders = cast::senders(&config);
    serve::log(&config)?;
    screen.line("Starting a gateway and its own Postgres (the first time, this makes a database cluster) ...");

    let handlers = cast::handlers().into_iter();
    let builder = handlers.fold(Gateway::builder(), |builder, handler| builder.handler(handler)).config(config);
    let running = tokio::select! {
        started = builder.start() => started.map_err(serve::refused)?,
        () = stop.told() => return Ok(Exit::Done),
    };
    let stop = Stop::listen()?;
    let show = async {
        let told = tell(screen, &running, &senders, &secrets).await;
        // Somebody who watches wants to look around, whatever the verdict.
        if told.is_ok() && !exit {
            screen.line("\nIt stays up. Ctrl-C ends it.");
            std::future::pending::<()>().await;
        }
        told
    };
    let told = tokio::select! {
        told = show => told,
        () = stop.told() => Ok(Exit::Done),
    };
    serve::end(running, Stop::listen()?).await?;
    told
}

/// The story, its verdict, and where to look.
async fn tell(screen: Screen, running: &Running, senders: &[Sender], secrets: &Secrets) -> Result<Exit, Failure> {
    let (Some(ingest), Some(operator)) = (running.ingest_addr(), running.operator_addr()) else {
        return Err(Failure::no("the demo's gateway started without its listeners"));
    };
    for (address, wanted) in [ingest, operator].into_iter().zip(PORTS) {
        if address.port() != wanted {
            screen.line(format!("Port {wanted} is taken; using {} instead.", address.port()));
        }
    }
    let left = leave(&cast::configuration(ingest, operator, secrets));
    let api = Client::new(local_url(operator), None)?;
    screen.line("");
    let (sent, refusals) = Story::new(screen, local_url(ingest), api)?.tell(senders).await?;
    let differences = differences(&sent, refusals);
    summary(screen, &sent, refusals, &differences);
    if left.is_ok() {
        commands(screen, local_url(operator).as_ref(), &sent);
    }
    screen.value(&json!({
        "as_told": differences.is_empty(),
        "differences": differences,
        "ingest": local_url(ingest).as_str(),
        "operator": local_url(operator).as_str(),
        "refusals": refusals,
        "sent": sent.iter().map(|one| json!({
            "source": one.source, "event": one.event, "status": one.status, "answer": one.word, "delivery": one.delivery,
        })).collect::<Vec<_>>(),
    }));
    Ok(if differences.is_empty() { Exit::Done } else { Exit::No })
}

fn leave(text: &str) -> std::io::Result<()> {
    let file = Path::new(LEFT);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(file, text)
}

fn summary(screen: Screen, sent: &[Sent], refusals: usize, differences: &[String]) {
    let count = |act| sent.iter().filter(|one| one.act == act).count();
    screen.line("");
    if differences.is_empty() {
        screen.line(format!(
            "As told: {} deliveries done, one from each provider; {} copy noted and not run again; {refusals} forgery \
             refused; one handler failed and succeeded on retry.",
            count(Act::Deliver),
            count(Act::Copy),
        ));
    }
    for difference in differences {
        screen.line(format!("NOT as told: {difference}"));
    }
}

fn commands(screen: Screen, operator: &str, sent: &[Sent]) {
    let hookgate = this_program();
    let id = sent.iter().find_map(|one| one.delivery.as_deref()).unwrap_or("ID");
    screen.line(format!("\nDashboard and API: {operator}\n"));
    screen.line(format!("  curl {operator}api/v1/deliveries"));
    for command in [
        "deliveries list".to_owned(),
        format!("deliveries show {id}"),
        format!("replay {id} --force"),
        "send github push --times 3 --same-id".to_owned(),
        "send stripe invoice.paid --tamper".to_owned(),
    ] {
        screen.line(format!("  {hookgate} {command} --config {LEFT}"));
    }
}

/// How this program can be called from here: under `cargo run` it is not on the search path.
fn this_program() -> String {
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    let below = program.as_deref().zip(here.as_deref()).and_then(|(program, here)| program.strip_prefix(here).ok());
    below.map_or("hookgate".to_owned(), |path| format!("./{}", path.display()))
}
