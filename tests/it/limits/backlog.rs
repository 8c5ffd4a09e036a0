//! Work that is there already, as if it had been recorded: made in one statement, however much.

use sqlx::PgPool;

use crate::support::work::{execute, number};

/// Copies the one delivery of a source `n` times, with a job of class `class` each for every subscription of that source.
pub(crate) async fn backlog(pool: &PgPool, source: &str, class: i16, n: usize) {
    execute(
        pool,
        &format!(
            "with copied as (
                 insert into hookgate.deliveries
                        (retention, id, source, received_at, method, target, headers, body, content_type, secret, event_type,
                         ordering_key)
                 select d.retention, (substr(d.id::text, 1, 14) || substr(gen_random_uuid()::text, 15))::uuid, d.source,
                        d.received_at, d.method, d.target, d.headers, d.body, d.content_type, d.secret, d.event_type,
                        d.ordering_key
                   from (select d.* from hookgate.deliveries d join hookgate.sources s on s.id = d.source
                          where s.name = '{source}' order by d.id limit 1) d
                  cross join generate_series(1, {n})
                 returning id, source, retention
             )
             insert into hookgate.jobs (delivery, event, subscription, run, retention, class)
             select c.id, 0, u.id, 0, c.retention, {class}
               from copied c join hookgate.subscriptions u on u.source = c.source"
        ),
    )
    .await;
}

/// Switches every subscription off and on again.
pub(crate) async fn pause(pool: &PgPool, paused: bool) {
    execute(pool, &format!("update hookgate.subscriptions set paused = {paused}")).await;
}

/// How many attempts were begun on a source's deliveries, those that still run among them.
pub(crate) async fn begun(pool: &PgPool, source: &str) -> i64 {
    number(
        pool,
        &format!(
            "select (select count(*) from hookgate.attempts a join hookgate.subscriptions u on u.id = a.subscription
                       join hookgate.sources s on s.id = u.source where s.name = '{source}')
                  + (select count(*) from hookgate.jobs j join hookgate.subscriptions u on u.id = j.subscription
                       join hookgate.sources s on s.id = u.source where s.name = '{source}' and j.state = 'running')"
        ),
    )
    .await
}
