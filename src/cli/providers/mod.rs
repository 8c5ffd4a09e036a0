//! `providers`: what is built in, and what is peculiar about each.

mod facts;

use hookgate_providers::{ALL, Provider, Warning, find};

use super::Invocation;
use super::exit::{Exit, Failure};
use super::table::Table;
use facts::LONGEST_LABEL;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List them, or those that a query is about
    List {
        /// Words of the name, the signature or a warning, such as `ed25519` or `body_not_signed`
        query: Vec<String>,
    },
    /// Show how one signs, where its ids are, and what surprises people
    Show {
        /// Its name
        provider: String,
    },
}

pub(super) fn run(invocation: &Invocation, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::List { query } => list(invocation, query)?,
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

fn list(invocation: &Invocation, query: &[String]) -> Result<(), Failure> {
    let found: Vec<&Provider> = ALL.iter().copied().filter(|provider| is_meant(provider, query)).collect();
    if found.is_empty() {
        return Err(unknown(&query.join(" ")));
    }
    let mut table = Table::new(["NAME", "SIGNATURE", "WARNING", "RETRIES", "SAMPLES", "DOCS"]);
    for provider in &found {
        table.row([
            provider.name.to_owned(),
            provider.scheme.to_string(),
            worst(provider),
            if provider.resends_automatically { "yes" } else { "no" }.to_owned(),
            provider.samples.len().to_string(),
            provider.docs.to_owned(),
        ]);
    }
    invocation.screen.table(&table);
    invocation.screen.line("\nAny other sender that signs with an HMAC: `hookgate init hmac`.");
    invocation.screen.value(&found.into_iter().map(facts::value).collect());
    Ok(())
}

/// Whether every word is found in what a list shows of it.
fn is_meant(provider: &Provider, query: &[String]) -> bool {
    let warnings: Vec<&str> = provider.warnings().iter().map(|warning| warning.as_str()).collect();
    let text = format!("{} {} {} {}", provider.name, provider.title, provider.scheme, warnings.join(" "));
    let text = text.to_ascii_lowercase();
    query.iter().all(|word| text.contains(&word.to_ascii_lowercase()))
}

/// The warnings of what lets somebody make up events; the milder ones are `show`'s to tell.
fn worst(provider: &Provider) -> String {
    let makes_up =
        |warning: &Warning| matches!(warning, Warning::SecretInRequest | Warning::SecretInUrl | Warning::BodyNotSigned);
    provider.warnings().into_iter().filter(makes_up).map(Warning::as_str).collect::<Vec<_>>().join(", ")
}

fn show(invocation: &Invocation, provider: &Provider) {
    let screen = invocation.screen;
    screen.line(format!("{} ({})", provider.title, provider.name));
    for (label, text) in facts::facts(provider) {
        screen.line(format!("  {label:<LONGEST_LABEL$} {text}"));
    }
    screen.value(&facts::value(provider));
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
    fn a_query_finds_by_name_signature_and_warning() {
        let found = |query: &str| -> Vec<&str> {
            let query: Vec<String> = query.split_whitespace().map(str::to_owned).collect();
            ALL.iter().filter(|provider| is_meant(provider, &query)).map(|provider| provider.name).collect()
        };
        assert_eq!(found("").len(), ALL.len());
        assert!(found("GitHub").contains(&"github"));
        assert!(found("ed25519").contains(&"discord"));
        assert!(found("body_not_signed").contains(&"mailgun") && !found("body_not_signed").contains(&"stripe"));
        assert_eq!(found("stripe nonsense"), Vec::<&str>::new());
    }
}
