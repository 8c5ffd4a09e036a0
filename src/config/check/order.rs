//! Options of order that mean nothing in the order they are given with, and those that can't work.

use super::Findings;
use crate::config::{Config, HandlerPolicy, LONGEST_WINDOW, OnFailure, Order, places, show_duration as show};

pub(super) fn check(config: &Config, found: &mut Findings) {
    limits("handler_defaults", &config.handler_defaults, found);
    for forward in &config.forwards {
        let section = format!("forward.{}", forward.name);
        limits(&section, &forward.policy, found);
        useless(&section, &forward.policy, &config.handler_defaults, found);
    }
}

fn limits(section: &str, policy: &HandlerPolicy, found: &mut Findings) {
    if policy.reorder_window > LONGEST_WINDOW {
        found.error(format!(
            "`{section}.reorder_window` ({}) is longer than 5s, and every key would wait that long: shorten it",
            show(policy.reorder_window)
        ));
    }
    for (option, list) in [("ordering_key", &policy.ordering_key), ("version", &policy.version)] {
        if let Some(Err(why)) = list.as_deref().map(places::check) {
            found.error(format!("`{section}.{option}` {why}"));
        }
    }
}

/// What a forward inherits and has no use for is no mistake of its own. To pass over older versions and to stop or go on at a
/// failure contradict each other wherever the two were said.
fn useless(section: &str, policy: &HandlerPolicy, defaults: &HandlerPolicy, found: &mut Findings) {
    let order = policy.order.as_str();
    if policy.order == Order::Latest && policy.on_failure != OnFailure::Block {
        let said = if policy.on_failure == OnFailure::Skip { "skip" } else { "halt" };
        found.error(format!(
            "`{section}.on_failure` is \"{said}\" and `{section}.order` is \"latest\", which has no head to {said}: its newest \
             waits for its retry and gives way to a newer one; write on_failure = \"block\" or order = \"lane\""
        ));
    }
    let options = [
        ("on_failure", policy.order == Order::None && policy.on_failure != defaults.on_failure),
        ("block_for", policy.order != Order::Lane && policy.block_for != defaults.block_for),
        ("reorder_window", policy.order == Order::None && policy.reorder_window != defaults.reorder_window),
        ("ordering_key", policy.order == Order::None && policy.ordering_key != defaults.ordering_key),
        ("version", policy.order == Order::None && policy.version != defaults.version),
    ];
    for (option, _) in options.into_iter().filter(|(_, said)| *said) {
        found.error(format!(
            "`{section}.{option}` means nothing while `{section}.order` is \"{order}\": choose another order or remove it"
        ));
    }
}
