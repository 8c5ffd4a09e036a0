//! Counts and sizes that must hold others.

use super::Findings;
use crate::config::{Config, ProcessRole, show_size as show};

pub(super) fn check(config: &Config, found: &mut Findings) {
    zeros(config, found);
    pooler(config, found);
    recorder(config, found);
    shares(config, found);
    listening(config, found);
    body("server.max_body", config.server.max_body, config, found);
    for source in config.sources.values() {
        if let Some(max_body) = source.max_body {
            body(&format!("source.{}.max_body", source.name), max_body, config, found);
        }
    }
}

fn zeros(config: &Config, found: &mut Findings) {
    let (recorder, database, worker) = (&config.recorder, &config.database, &config.worker);
    let policy = |section: &str, name: &str| format!("{section}.{name}");
    let mut settings = vec![
        ("recorder.batch".to_owned(), recorder.batch),
        ("recorder.batch_bytes".to_owned(), recorder.batch_bytes),
        ("recorder.queue".to_owned(), recorder.queue),
        ("recorder.queue_bytes".to_owned(), recorder.queue_bytes),
        ("recorder.writers".to_owned(), recorder.writers),
        ("server.max_body".to_owned(), config.server.max_body),
        ("worker.lane_claim".to_owned(), worker.lane_claim as usize),
        ("worker.shares.live".to_owned(), worker.shares.live as usize),
        ("worker.shares.retry".to_owned(), worker.shares.retry as usize),
        ("worker.shares.replay".to_owned(), worker.shares.replay as usize),
        ("breaker.failures".to_owned(), config.breaker.failures as usize),
        ("database.ingest_connections".to_owned(), database.ingest_connections as usize),
        ("database.worker_connections".to_owned(), database.worker_connections as usize),
        ("database.operator_connections".to_owned(), database.operator_connections as usize),
    ];
    let handlers = [("handler_defaults".to_owned(), &config.handler_defaults)];
    let forwards = config.forwards.iter().map(|f| (format!("forward.{}", f.name), &f.policy));
    for (section, handler) in handlers.into_iter().chain(forwards) {
        settings.push((policy(&section, "attempts"), handler.attempts as usize));
        settings.push((policy(&section, "concurrency"), handler.concurrency));
        settings.push((policy(&section, "rate"), handler.rate.map_or(1, |rate| rate.jobs as usize)));
        settings.push((policy(&section, "burst"), handler.burst.map_or(1, |burst| burst as usize)));
        settings.push((policy(&section, "backoff_factor"), handler.backoff_factor as usize));
    }
    for (setting, _) in settings.iter().filter(|(_, value)| *value == 0) {
        found.error(format!("`{setting}` is 0, so nothing would ever get through: make it at least 1"));
    }
    if config.server.roles.is_empty() {
        found.error(
            "`server.roles` is empty, so this process would do nothing: name at least one of ingest, worker, operator"
                .to_owned(),
        );
    }
}

fn shares(config: &Config, found: &mut Findings) {
    for source in config.sources.values().filter(|source| !(1..=100).contains(&source.weight)) {
        found.error(format!(
            "`source.{}.weight` is {}: make it 1 to 100; a source that is to receive nothing has `enabled = false`",
            source.name, source.weight
        ));
    }
    let handlers = [("handler_defaults".to_owned(), &config.handler_defaults)];
    let forwards = config.forwards.iter().map(|f| (format!("forward.{}", f.name), &f.policy));
    for (section, _) in handlers.into_iter().chain(forwards).filter(|(_, h)| h.burst.is_some() && h.rate.is_none()) {
        found.error(format!(
            "`{section}.burst` is set and `{section}.rate` is not, so there is nothing to burst above: add a rate such as \
             \"100/s\" or remove the burst"
        ));
    }
}

fn pooler(config: &Config, found: &mut Findings) {
    let database = &config.database;
    if database.pooler && database.listen {
        found.error(
            "`database.listen` is on and `database.pooler` too, but LISTEN needs a session of its own: set \
             `database.listen` to false, and work is found by `worker.poll`"
                .to_owned(),
        );
    }
    if database.pooler && database.url.is_none() {
        found.error(
            "`database.pooler` is on and there is no `database.url`: name the pooler there, or set `database.pooler` to \
             false for hookgate's own Postgres"
                .to_owned(),
        );
    }
}

fn recorder(config: &Config, found: &mut Findings) {
    let recorder = &config.recorder;
    if recorder.batch > recorder.queue {
        found.error(format!(
            "`recorder.batch` ({}) is larger than `recorder.queue` ({}), so a batch could never fill: raise the queue or \
             lower the batch",
            recorder.batch, recorder.queue
        ));
    }
    if recorder.batch_bytes > recorder.queue_bytes {
        found.error(format!(
            "`recorder.batch_bytes` ({}) is larger than `recorder.queue_bytes` ({}), so a batch could never fill: raise \
             the queue or lower the batch",
            show(recorder.batch_bytes),
            show(recorder.queue_bytes)
        ));
    }
    if recorder.writers > config.database.ingest_connections as usize {
        found.warning(format!(
            "`recorder.writers` ({}) is more than `database.ingest_connections` ({}), so some writers wait for a \
             connection: raise the connections or lower the writers",
            recorder.writers, config.database.ingest_connections
        ));
    }
}

/// A handler in `cx.tx()` holds a connection for as long as it runs.
fn listening(config: &Config, found: &mut Findings) {
    let works = config.server.roles.contains(&ProcessRole::Worker);
    if works && config.database.listen && config.database.worker_connections == 1 {
        found.error(
            "`database.worker_connections` is 1 and `database.listen` is on, so waking others up, claiming and every \
             handler wait for one connection: raise `database.worker_connections` to 2 or more, or set \
             `database.listen = false`"
                .to_owned(),
        );
    }
}

fn body(setting: &str, max_body: usize, config: &Config, found: &mut Findings) {
    let holders = [
        ("server.bytes_in_flight", config.server.bytes_in_flight),
        ("recorder.queue_bytes", config.recorder.queue_bytes),
    ];
    for (holder, bytes) in holders.into_iter().filter(|(_, bytes)| max_body > *bytes) {
        found.error(format!(
            "`{setting}` ({}) is larger than `{holder}` ({}), so a body of that size could never be taken: raise \
             `{holder}` or lower `{setting}`",
            show(max_body),
            show(bytes)
        ));
    }
}
