//! `providers`: what is built in, and what is peculiar about each.

use hookgate_providers::{ALL, Events, Locate, Provider, find};
use serde_json::{Value, json};

use super::Invocation;
use super::exit::{Exit, Failure};
use super::table::Table;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List them
    List,
    /// Show how one signs, where its ids are, and what surprises people
    Show {
        /// Its name
        provider: String,
    },
}

pub(super) fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::List => list(invocation),
        Command::Show { provider } => show(invocation, known(provider)?),
    }
    Ok(Exit::Done)
}

/// The provider of this name, or a failure that names the near ones.
pub(super) fn known(name: &str) -> Result<&'static Provider, Failure> {
    find(name).ok_or_else(|| unknown(name))
}

pub(super) fn unknown(name: &str) -> Failure {
    let near: Vec<&str> = ALL.iter().map(|provider| provider.name).filter(|known| alike(name, known)).collect();
    let failure = Failure::new(Exit::NotFound, format!("no provider is called \"{name}\""));
    match near.as_slice() {
        [] => failure.advise("`hookgate providers list` shows them; \"hmac\" is for any other that signs with an HMAC"),
        near => failure.advise(format!("did you mean {}?", near.join(" or "))),
    }
}

/// Whether somebody who wrote one may have meant the other: a part of the name, or a third of its pairs of letters.
fn alike(written: &str, known: &str) -> bool {
    let written = written.to_ascii_lowercase();
    if written.len() >= 3 && (known.contains(&written) || written.contains(known)) {
        return true;
    }
    let pairs = |text: &str| -> Vec<[u8; 2]> { text.as_bytes().windows(2).map(|pair| [pair[0], pair[1]]).collect() };
    let (ours, theirs) = (pairs(&written), pairs(known));
    let shared = ours.iter().filter(|pair| theirs.contains(pair)).count();
    3 * shared >= ours.len().max(theirs.len()).max(1)
}

fn list(invocation: &Invocation) {
    let mut table = Table::new(["NAME", "SIGNATURE", "RETRIES", "SAMPLES", "DOCS"]);
    for provider in ALL {
        table.row([
            provider.name.to_owned(),
            provider.scheme.to_string(),
            if provider.resends_automatically { "yes" } else { "no" }.to_owned(),
            provider.samples.len().to_string(),
            provider.docs.to_owned(),
        ]);
    }
    invocation.screen.table(&table);
    invocation.screen.line("\nAny other sender that signs with an HMAC: `hookgate init hmac`.");
    invocation.screen.value(&ALL.iter().map(|provider| value(provider)).collect());
}

fn show(invocation: &Invocation, provider: &Provider) {
    let screen = invocation.screen;
    screen.line(format!("{} ({})", provider.title, provider.name));
    for (label, text) in facts(provider) {
        screen.line(format!("  {label:<14} {text}"));
    }
    screen.value(&value(provider));
}

fn facts(provider: &Provider) -> Vec<(&'static str, String)> {
    let covers = provider.covers;
    let protected: Vec<&str> =
        [(covers.body, "body"), (covers.id, "delivery id"), (covers.event_type, "event type"), (covers.time, "time")]
            .into_iter()
            .filter_map(|(protected, what)| protected.then_some(what))
            .collect();
    let mut facts = vec![
        ("docs", provider.docs.to_owned()),
        ("signature", provider.scheme.to_string()),
        ("protects", protected.join(", ")),
        ("delivery id", places(provider.delivery_id)),
        ("event type", places(provider.event_type)),
        ("ordering key", places(provider.ordering_key)),
        ("version", places(provider.version)),
        (
            "events",
            match provider.events {
                Events::Whole => "one a request".to_owned(),
                Events::Each(pointer) => format!("each element of json:{pointer}"),
                Events::EachIn(content_type, pointer) => format!("each element of json:{pointer} in {content_type}"),
            },
        ),
        ("answer within", format!("{} s, with {}", provider.ack_deadline.as_secs(), provider.reply.status)),
        ("may resend for", crate::config::show_duration(provider.retry_horizon)),
        ("samples", provider.samples.iter().map(|sample| sample.event).collect::<Vec<_>>().join(", ")),
    ];
    if !provider.quirks.is_empty() {
        facts.push(("mind", provider.quirks.to_owned()));
    }
    facts
}

fn places(locators: &[Locate]) -> String {
    let places: Vec<String> = locators.iter().map(Locate::to_string).collect();
    match places.len() {
        0..=3 => places.join(", else "),
        more => format!("{}, else {} more (see --json)", places[..3].join(", else "), more - 3),
    }
}

fn value(provider: &Provider) -> Value {
    let all = |locators: &[Locate]| -> Vec<String> { locators.iter().map(Locate::to_string).collect() };
    json!({
        "name": provider.name,
        "title": provider.title,
        "docs": provider.docs,
        "signature": provider.scheme.to_string(),
        "protects": {
            "body": provider.covers.body,
            "delivery_id": provider.covers.id,
            "event_type": provider.covers.event_type,
            "time": provider.covers.time,
        },
        "delivery_id": all(provider.delivery_id),
        "event_type": all(provider.event_type),
        "ordering_key": all(provider.ordering_key),
        "version": all(provider.version),
        "resends_automatically": provider.resends_automatically,
        "redelivery_keeps_id": provider.redelivery_keeps_id,
        "retry_horizon_seconds": provider.retry_horizon.as_secs(),
        "ack_deadline_seconds": provider.ack_deadline.as_secs(),
        "max_body": provider.max_body,
        "samples": provider.samples.iter().map(|sample| sample.event).collect::<Vec<_>>(),
        "quirks": provider.quirks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_a_name_names_the_one_meant() {
        for (slip, meant) in
            [("strpie", "stripe"), ("Github", "github"), ("shop", "shopify"), ("standard", "standard-webhooks")]
        {
            assert!(unknown(slip).to_string().contains(meant), "{slip}: {}", unknown(slip));
        }
        assert!(unknown("zzz").to_string().contains("providers list"));
    }

    #[test]
    fn every_provider_shows_its_facts() {
        for provider in ALL {
            let facts = facts(provider);
            assert!(facts.iter().all(|(label, _)| label.len() <= 14), "{}: a label is cut", provider.name);
            assert_eq!(value(provider)["name"], provider.name);
        }
    }
}
