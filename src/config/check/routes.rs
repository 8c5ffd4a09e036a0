//! Listeners, sources and forwards that must fit each other.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use reqwest::Url;

use super::Findings;
use crate::config::phrase::nearest;
use crate::config::{Config, Forward, Network, Order, ProcessRole};

pub(super) fn check(config: &Config, found: &mut Findings) {
    listeners(config, found);
    public_urls(config, found);
    roles(config, found);
    let mut names = BTreeSet::new();
    for forward in &config.forwards {
        if !names.insert(&forward.name) {
            found.error(format!(
                "two [[forward]]s have the `name` \"{0}\", and `forward.{0}` can only be one handler: rename one",
                forward.name
            ));
        }
        responds(forward, config, found);
        origin(forward, config, found);
        destination(forward, config, found);
    }
    log_level(config, found);
}

fn listeners(config: &Config, found: &mut Findings) {
    let server = &config.server;
    if server.ingest.port() != 0 && server.ingest == server.operator {
        found.error(format!(
            "`server.ingest` and `server.operator` are both {}: give the operator listener another port",
            server.ingest
        ));
    }
    let mut names = BTreeSet::new();
    for token in config.operator.tokens.iter().filter(|token| !names.insert(&token.name)) {
        found.error(format!(
            "two tokens in `operator.token` have the `name` \"{}\", so the audit trail could not tell them apart: \
             rename one",
            token.name
        ));
    }
    if config.operator.tokens.is_empty() {
        if server.operator.ip().is_loopback() {
            found.note(format!(
                "`operator.token` is empty, so everyone on this machine who reaches `server.operator` ({}) is admin",
                server.operator
            ));
        } else {
            found.error(format!(
                "`server.operator` ({}) can be reached from other machines and `operator.token` is empty, so anyone \
                 could replay and read payloads: add an [[operator.token]] or listen on 127.0.0.1",
                server.operator
            ));
        }
    }
    if server.trusted_proxies.iter().any(Network::is_everybody) {
        found.warning(
            "`server.trusted_proxies` holds every address, so anybody may say who they are and which URL they called: \
             name the networks of your proxies"
                .to_owned(),
        );
    }
}

/// What URL-signing senders sign begins with it, to the byte.
fn public_urls(config: &Config, found: &mut Findings) {
    let of_sources = config.sources.values().map(|source| (format!("source.{}", source.name), &source.public_url));
    for (section, public_url) in [("server".to_owned(), &config.server.public_url)].into_iter().chain(of_sources) {
        let is_base =
            |url: &Url| matches!(url.scheme(), "http" | "https") && url.query().is_none() && url.fragment().is_none();
        if public_url.as_ref().is_some_and(|text| !Url::parse(text).is_ok_and(|url| is_base(&url))) {
            found.error(format!(
                "`{section}.public_url` is not an http or https URL without query and fragment: write https://host"
            ));
        }
    }
}

fn roles(config: &Config, found: &mut Findings) {
    let missing: Vec<&str> = ProcessRole::ALL
        .into_iter()
        .filter(|role| !config.server.roles.contains(role))
        .map(ProcessRole::as_str)
        .collect();
    if config.database.url.is_none() && !missing.is_empty() {
        found.error(format!(
            "`server.roles` leaves out {} and `database.url` is not set, but hookgate's own Postgres serves one process \
             that does it all: set `database.url` to a shared Postgres or give this process every role",
            missing.join(" and ")
        ));
    }
}

fn responds(forward: &Forward, config: &Config, found: &mut Findings) {
    let before = config.forwards.iter().take_while(|other| !std::ptr::eq(*other, forward));
    for other in before.filter(|other| other.respond && forward.respond) {
        let both = other.events.iter().any(|event| forward.events.iter().any(|pattern| pattern.overlaps(event)));
        if both && other.from.overlaps(&forward.from) {
            found.error(format!(
                "`forward.{}.respond` and `forward.{}.respond` are both true and their events overlap, and a request has one \
                 answer: narrow the events of one of them, or let only one respond",
                other.name, forward.name
            ));
        }
    }
    if forward.respond && forward.policy.order != Order::None {
        found.error(format!(
            "`forward.{0}.respond` is true and `forward.{0}.order` is not \"none\": behind other jobs its answer would come too \
             late, so remove one of the two",
            forward.name
        ));
    }
}

fn origin(forward: &Forward, config: &Config, found: &mut Findings) {
    if config.sources.keys().any(|name| forward.from.matches(name.as_str())) {
        return;
    }
    let sentence = format!("`forward.{}.from` is \"{}\", which matches no [source.NAME]", forward.name, forward.from);
    if !forward.from.is_exact() {
        return found.warning(format!("{sentence} yet, so nothing is forwarded"));
    }
    let sources: Vec<&str> = config.sources.keys().map(|name| name.as_str()).collect();
    found.error(match nearest(forward.from.as_str(), &sources) {
        Some(near) => format!("{sentence}; did you mean \"{near}\"?"),
        None => format!("{sentence}: add [source.{}] or correct `from`", forward.from),
    });
}

/// A forward to our own ingest listener would receive its own output, for ever.
fn destination(forward: &Forward, config: &Config, found: &mut Findings) {
    let public = config.server.public_url.as_deref().and_then(|url| Url::parse(url).ok());
    let same_as_public = public.is_some_and(|public| {
        public.host() == forward.to.host() && public.port_or_known_default() == forward.to.port_or_known_default()
    });
    let own = [
        ("server.ingest", reaches(&forward.to, config.server.ingest)),
        ("server.public_url", same_as_public && forward.to.path().starts_with("/in/")),
    ];
    for (setting, _) in own.into_iter().filter(|(_, same)| *same) {
        found.error(format!(
            "`forward.{}.to` ({}) is hookgate's own `{setting}`, so deliveries would go in circles: point it at your \
             application",
            forward.name, forward.to
        ));
    }
}

fn reaches(to: &Url, listener: SocketAddr) -> bool {
    if listener.port() == 0 || to.port_or_known_default() != Some(listener.port()) {
        return false;
    }
    // An IPv6 address stands in brackets in a URL.
    let host = to.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let ip: Option<IpAddr> = host.parse().ok();
    let here = ip.is_some_and(|ip| ip.is_loopback() || ip.is_unspecified()) || host == "localhost";
    ip == Some(listener.ip()) || (here && (listener.ip().is_unspecified() || listener.ip().is_loopback()))
}

fn log_level(config: &Config, found: &mut Findings) {
    if tracing_subscriber::EnvFilter::try_new(&config.log.level).is_err() {
        found.error(format!(
            "`log.level` is \"{}\": write error, warn, info, debug or trace, or filters such as info,hookgate=debug",
            config.log.level
        ));
    }
}
