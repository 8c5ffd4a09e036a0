//! Counts and sizes that must hold others.

use super::Findings;
use crate::config::{Config, show_size as show};

pub(super) fn check(config: &Config, found: &mut Findings) {
    zeros(config, found);
    pooler(config, found);
    recorder(config, found);
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
        ("database.ingest_connections".to_owned(), database.ingest_connections as usize),
        ("database.worker_connections".to_owned(), database.worker_connections as usize),
        ("database.operator_connections".to_owned(), database.operator_connections as usize),
    ];
    let handlers = [("handler_defaults".to_owned(), &config.handler_defaults)];
    let forwards = config.forwards.iter().map(|f| (format!("forward.{}", f.name), &f.policy));
    for (section, handler) in handlers.into_iter().chain(forwards) {
        settings.push((policy(&section, "attempts"), handler.attempts as usize));
        settings.push((policy(&section, "concurrency"), handler.concurrency));
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
