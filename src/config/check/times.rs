//! Durations that must be longer or shorter than others.

use std::time::Duration;

use super::Findings;
use crate::config::{Config, HandlerPolicy, RetentionClass, show_duration as show};

pub(super) fn check(config: &Config, found: &mut Findings) {
    zeros(config, found);
    lease(config, found);
    breaker(config, found);
    policy("handler_defaults", &config.handler_defaults, config, found);
    for forward in &config.forwards {
        policy(&format!("forward.{}", forward.name), &forward.policy, config, found);
    }
    horizons(config, found);
}

fn zeros(config: &Config, found: &mut Findings) {
    let settings = [
        ("server.header_timeout", config.server.header_timeout),
        ("server.body_timeout", config.server.body_timeout),
        ("recorder.timeout", config.recorder.timeout),
        ("worker.poll", config.worker.poll),
        ("worker.heartbeat", config.worker.heartbeat),
        ("breaker.within", config.breaker.within),
        ("breaker.open_for", config.breaker.open_for),
    ];
    for (setting, duration) in settings {
        if duration.is_zero() {
            found.error(format!("`{setting}` is 0: give it some time, as in hookgate.default.toml"));
        }
    }
}

fn lease(config: &Config, found: &mut Findings) {
    let (lease, heartbeat) = (config.worker.lease, config.worker.heartbeat);
    if lease < heartbeat.saturating_mul(3) {
        found.error(format!(
            "`worker.lease` ({}) is shorter than three times `worker.heartbeat` ({}), so a worker that is merely slow \
             would lose its jobs: raise the lease or shorten the heartbeat",
            show(lease),
            show(heartbeat)
        ));
    }
}

fn breaker(config: &Config, found: &mut Findings) {
    let (open_for, longest) = (config.breaker.open_for, config.breaker.longest);
    if open_for > longest {
        found.error(format!(
            "`breaker.open_for` ({}) is longer than `breaker.longest` ({}): lower the one or raise the other",
            show(open_for),
            show(longest)
        ));
    }
}

fn policy(section: &str, policy: &HandlerPolicy, config: &Config, found: &mut Findings) {
    let grace = config.server.shutdown_grace;
    if policy.timeout.is_zero() {
        found.error(format!("`{section}.timeout` is 0, so no attempt could succeed: give it some time"));
    }
    if policy.timeout > grace {
        found.warning(format!(
            "`{section}.timeout` ({}) is longer than `server.shutdown_grace` ({}), so a stop can cut a running attempt \
             off and it will run again: raise the grace or lower the timeout",
            show(policy.timeout),
            show(grace)
        ));
    }
    if policy.give_up_after.is_some_and(|horizon| horizon.is_zero()) {
        found.error(format!(
            "`{section}.give_up_after` is 0, so nothing would be retried: write `attempts` = 1 for that"
        ));
    } else if let (Some(horizon), Some(first)) = (policy.give_up_after, policy.retry.first())
        && horizon < *first
    {
        found.error(format!(
            "`{section}.give_up_after` ({}) is shorter than the first wait of `{section}.retry` ({}), so nothing would be \
             retried: raise the one or shorten the other",
            show(horizon),
            show(*first)
        ));
    }
    if policy.backoff_base > policy.backoff_cap {
        found.error(format!(
            "`{section}.backoff_base` ({}) is longer than `{section}.backoff_cap` ({}): lower the base or raise the cap",
            show(policy.backoff_base),
            show(policy.backoff_cap)
        ));
    }
}

/// Guards outlive what they guard: a payload that can be replayed or sent again needs its receipt.
fn horizons(config: &Config, found: &mut Findings) {
    let receipts = config.retention.receipts;
    for class in RetentionClass::ALL {
        let kept: Duration = config.retention.of(class);
        if kept.is_zero() {
            found.error(format!(
                "`retention.{}` is 0, so payloads would go before they are handled: keep them at least a day",
                class.as_str()
            ));
        }
        if receipts < kept {
            found.error(format!(
                "`retention.receipts` ({}) is shorter than `retention.{}` ({}), so a payload could be handled twice \
                 after its receipt is gone: guards outlive what they guard, so raise the receipts or lower the class",
                show(receipts),
                class.as_str(),
                show(kept)
            ));
        }
    }
}
