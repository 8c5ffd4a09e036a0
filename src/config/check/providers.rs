//! What is known about a provider, held against what is asked of it.

use hookgate_providers::handshake::Answer;

use super::Findings;
use crate::config::{Config, Order, Source, show_duration as show, show_size};

pub(super) fn check(config: &Config, found: &mut Findings) {
    for source in config.sources.values().filter(|source| source.enabled) {
        promises(source, config, found);
        coverage(source, config, found);
        lanes(source, config, found);
        pairing(source, config, found);
    }
}

fn pairing(source: &Source, config: &Config, found: &mut Findings) {
    if !source.secrets.is_empty() || !source.provider.offers_secrets() {
        return;
    }
    let name = &source.name;
    if config.secrets.sealing_key.is_some() {
        found.note(format!(
            "`source.{name}.secrets` is empty: until `hookgate sources pair {name}` takes the secret that {} sends, its \
             requests are refused",
            source.provider.title
        ));
    } else {
        found.warning(format!(
            "`source.{name}.secrets` is empty and `secrets.sealing_key` is not set, so the secret that {} sends can't be \
             kept: make a key with `openssl rand -base64 32` and refer to it there",
            source.provider.title
        ));
    }
}

fn promises(source: &Source, config: &Config, found: &mut Findings) {
    let (name, provider) = (&source.name, &source.provider);
    if provider.delivery_id.is_empty() {
        found.warning(format!(
            "`source.{name}` has no `delivery_id` and its provider \"{}\" declares none, so a repeated delivery is handled \
             again: say where the id is",
            provider.name
        ));
    }
    if !provider.resends_automatically {
        found.note(format!(
            "`source.{name}`: {} does not send again by itself, so what comes while hookgate is away has to be sent \
             again by hand",
            provider.title
        ));
    }
    let receipts = config.retention.receipts;
    if receipts < provider.retry_horizon {
        found.error(format!(
            "`retention.receipts` ({}) is shorter than `source.{name}`\'s provider may send again ({}), so a late copy \
             would be handled twice: guards outlive what they guard, so raise it",
            show(receipts),
            show(provider.retry_horizon)
        ));
    }
    if config.recorder.timeout >= provider.ack_deadline {
        found.warning(format!(
            "`recorder.timeout` ({}) is not below the {} that `source.{name}`\'s provider waits for an answer: lower it",
            show(config.recorder.timeout),
            show(provider.ack_deadline)
        ));
    }
    if let Some(within) = source.respond_within {
        if within.is_zero() {
            found.error(format!(
                "`source.{name}.respond_within` is 0, so no handler could ever answer: give it some time or leave it out"
            ));
        }
        if within >= provider.ack_deadline {
            found.warning(format!(
                "`source.{name}.respond_within` ({}) is not below the {} that its provider waits for an answer: lower it",
                show(within),
                show(provider.ack_deadline)
            ));
        }
    }
    let (setting, max_body) = match source.max_body {
        Some(bytes) => (format!("source.{name}.max_body"), bytes),
        None => ("server.max_body".to_owned(), config.server.max_body),
    };
    if let Some(largest) = provider.max_body.filter(|largest| *largest > max_body) {
        found.warning(format!(
            "`{setting}` ({}) is smaller than what `source.{name}`\'s provider may send ({}), which is then refused: raise \
             it",
            show_size(max_body),
            show_size(largest)
        ));
    }
}

/// What a signature does not protect, and what it protects that a proxy may change.
fn coverage(source: &Source, config: &Config, found: &mut Findings) {
    let (name, provider) = (&source.name, &source.provider);
    if !provider.covers.body && source.url_key.is_none() {
        found.warning(format!(
            "`source.{name}`: nothing that {} sends vouches for the body, so whoever has seen one request can write any \
             other: set `source.{name}.url_key`, and keep the whole URL as secret as the secret",
            provider.title
        ));
    }
    let url_is_known = source.public_url.is_some() || config.server.public_url.is_some();
    // eBay's handshake is answered with a hash over the URL.
    let answers_with_url = provider.handshake.iter().any(|handshake| matches!(handshake.answer, Answer::Hashed(..)));
    if (provider.scheme.signs_url() || answers_with_url) && !url_is_known && config.server.trusted_proxies.is_empty() {
        found.warning(format!(
            "`source.{name}`: {} vouches for the URL it calls, which hookgate does not know behind a proxy, and \
             then refuses every request: set `server.public_url` or `source.{name}.public_url`, or else `server.trusted_proxies`",
            provider.title
        ));
    }
}

fn lanes(source: &Source, config: &Config, found: &mut Findings) {
    if !source.provider.ordering_key.is_empty() {
        return;
    }
    let takes = |forward: &&crate::config::Forward| forward.from.matches(source.name.as_str());
    let lacks_key = |forward: &&crate::config::Forward| {
        forward.policy.order != Order::None && forward.policy.ordering_key.is_none()
    };
    for forward in config.forwards.iter().filter(takes).filter(lacks_key) {
        found.warning(format!(
            "`forward.{}.order` is \"{}\" and `source.{}` has no `ordering_key`, nor does its provider declare one, so \
             all its events share one lane: say where the key is",
            forward.name,
            forward.policy.order.as_str(),
            source.name
        ));
    }
}
