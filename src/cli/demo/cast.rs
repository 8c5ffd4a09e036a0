//! Who is in the demo: a source for each built-in provider and one described by hand, with secrets made up on the spot,
//! and two handlers, one of which fails the first time.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hookgate_providers::{Provider, Secret};
use rand::Rng as _;

use crate::cli::exit::Failure;
use crate::config::{Config, Mode};
use crate::{Context, Handler, HandlerError, Raw, on};

/// The demo's own Postgres is apart from `hookgate dev`'s: its handlers are declared in the database, and would wait
/// there for events that no worker of yours has code for.
const DATA: &str = "./hookgate-data/demo";
/// The source that is described in the configuration instead of built in.
const DESCRIBED: &str = "partner";
const DESCRIBED_EVENT: &str = "parcel.delivered";

/// The source that is sent a copy and a forgery.
pub(super) const COPIED: &str = "github";
/// The handler that fails once, on [`BILLED`] alone.
pub(super) const FAILS_ONCE: &str = "billing";
const BILLED: &str = "stripe";

/// Whose webhooks the demo sends: the best known, since a story of every sender is none.
const PROVIDERS: [&str; 5] = ["github", "shopify", "slack", "standard-webhooks", "stripe"];

/// One source and what is sent to it.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    pub(super) source: String,
    pub(super) provider: Provider,
    pub(super) event: &'static str,
    pub(super) key: Secret,
}

/// A secret for each source, worth nothing outside this run.
#[derive(Debug)]
pub(super) struct Secrets(BTreeMap<&'static str, String>);

impl Secrets {
    pub(super) fn fresh() -> Self {
        let sources = PROVIDERS.into_iter().chain([DESCRIBED]);
        Self(sources.map(|source| (source, secret())).collect())
    }

    fn of(&self, source: &str) -> &str {
        self.0.get(source).map_or("", String::as_str)
    }
}

/// The demo's configuration as TOML.
pub(super) fn configuration(ingest: SocketAddr, operator: SocketAddr, secrets: &Secrets) -> String {
    let mut text = format!(
        "# Written by `hookgate dev --demo`, for commands that talk to it while it runs.\n\n\
         [server]\ningest = \"{ingest}\"\noperator = \"{operator}\"\n\n\
         [database]\ndata = \"{DATA}\"\n\n\
         [log]\nlevel = \"warn,hookgate::gateway=error\"\n"
    );
    for provider in PROVIDERS {
        text +=
            &format!("\n[source.{provider}]\nprovider = \"{provider}\"\nsecrets = [\"{}\"]\n", secrets.of(provider));
    }
    text += &format!(
        "\n[source.{DESCRIBED}]\nprovider = \"hmac\"\nsecrets = [\"{}\"]\n\n\
         [source.{DESCRIBED}.hmac]\nheader = \"x-partner-signature\"\nprefix = \"sha256=\"\n\
         delivery_id = \"header:x-partner-delivery\"\nevent_type = \"json:/type\"\nordering_key = \"json:/data/id\"\n",
        secrets.of(DESCRIBED)
    );
    text
}

/// The TOML resolved. Of the environment only where Postgres is counts.
pub(super) fn resolve(text: &str, pg_bin: Option<&str>) -> Result<Config, Failure> {
    let env: BTreeMap<_, _> =
        pg_bin.map(|folder| ("HOOKGATE_PG_BIN".to_owned(), folder.to_owned())).into_iter().collect();
    Ok(Config::from_toml(text, &env, Mode::Dev)?)
}

/// Base64 after `whsec_` is what Standard Webhooks demands, and text like any other to everyone else.
fn secret() -> String {
    let mut random = [0; 32];
    rand::rng().fill_bytes(&mut random);
    format!("whsec_{}", STANDARD.encode(random))
}

/// A sender for each source.
pub(super) fn senders(config: &Config) -> Vec<Sender> {
    let sender = |source: &crate::config::Source| {
        Some(Sender {
            source: source.name.to_string(),
            provider: source.provider,
            event: source.provider.samples.first().map_or(DESCRIBED_EVENT, |sample| sample.event),
            key: source.keys.first()?.clone(),
        })
    };
    config.sources.values().filter_map(sender).collect()
}

/// The demo's handlers.
pub(super) fn handlers() -> [Handler; 2] {
    let soon = Duration::from_millis(400);
    [on("*", &["*"]).name("archive").run(archive), on(BILLED, &["*"]).name(FAILS_ONCE).backoff(soon, 1, soon).run(bill)]
}

async fn archive(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    Ok(())
}

async fn bill(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
    if cx.attempt() == 1 {
        return Err(HandlerError::because("the ledger is away (the demo fails here once, on purpose)"));
    }
    Ok(())
}

/// The port people expect, or any free one where it is taken.
pub(super) fn address(port: u16) -> SocketAddr {
    let wanted = SocketAddr::from(([127, 0, 0, 1], port));
    match TcpListener::bind(wanted) {
        Ok(_) => wanted,
        Err(_) => SocketAddr::from(([127, 0, 0, 1], 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Severity;

    #[test]
    fn the_demo_has_a_sender_for_each_of_its_providers_and_one_described() {
        let text = configuration(([127, 0, 0, 1], 8080).into(), ([127, 0, 0, 1], 8081).into(), &Secrets::fresh());
        let config = resolve(&text, None).expect("accepted");
        assert!(config.contradictions().iter().all(|problem| problem.severity == Severity::Note));
        let senders = senders(&config);
        assert_eq!(senders.len(), PROVIDERS.len() + 1);
        for named in [COPIED, BILLED, DESCRIBED] {
            assert!(senders.iter().any(|sender| sender.source == named), "{named}");
        }
    }

    #[test]
    fn every_run_has_secrets_of_its_own() {
        assert_ne!(secret(), secret());
    }
}
