//! Who gets a handler's places while there is more work than places.

use std::collections::BTreeMap;

use hookgate::config::Config;
use hookgate::{Context, Handler, HandlerError, Order, Raw, Running, on};
use sqlx::PgPool;

use super::backlog::{backlog, begun, pause};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start_with};
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{database_with_effects, execute, number, unfinished};

/// A gateway with one delivery of each of these sources, handled already.
async fn settled(pool: &PgPool, config: Config, handler: Handler, calls: &mut Calls) -> Running {
    let gateway = start_with(config, vec![handler]).await;
    Signed::stripe_event("evt_0", "a.b", "in_0").send(gateway.ingest_addr().unwrap()).await;
    calls.next().await.succeed();
    Signed::github("gh-0", "push", "{}").send(gateway.ingest_addr().unwrap()).await;
    calls.next().await.succeed();
    eventually("both are done", 0, async || unfinished(pool).await).await;
    pause(pool, true).await;
    gateway
}

/// Of the next `n` runs, one at a time, how many there are of each answer to `sql` about its delivery, `$`.
async fn runs(pool: &PgPool, calls: &mut Calls, n: usize, sql: &str) -> BTreeMap<i64, usize> {
    let mut runs = BTreeMap::new();
    for _ in 0..n {
        let call = calls.next().await;
        let of = number(pool, &sql.replace('$', &format!("'{}'", call.delivery))).await;
        *runs.entry(of).or_default() += 1;
        call.succeed();
    }
    runs
}

#[tokio::test]
async fn live_work_retries_and_replays_get_their_shares_and_none_starves() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("*", &["*"]).name("busy").concurrency(1));
    let gateway = settled(&pool, config(&database, ""), handler, &mut calls).await;
    for class in 0..3 {
        backlog(&pool, "stripe", class, 120).await;
    }
    pause(&pool, false).await;
    let class = "select class::bigint from hookgate.jobs where delivery = $";
    let runs = runs(&pool, &mut calls, 100, class).await;
    for (class, share) in [(0, 60), (1, 30), (2, 10)] {
        assert!(runs[&class].abs_diff(share) <= 3, "{runs:?}");
    }
    drop(calls);
    gateway.shutdown().await;
}

#[tokio::test]
async fn sources_are_served_by_their_weight() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("*", &["*"]).name("busy").concurrency(1));
    let mut config = config(&database, "");
    config.sources.values_mut().filter(|source| source.name.as_str() == "stripe").for_each(|source| source.weight = 4);
    let gateway = settled(&pool, config, handler, &mut calls).await;
    assert_eq!(number(&pool, "select weight::bigint from hookgate.sources where name = 'stripe'").await, 4);
    backlog(&pool, "stripe", 0, 120).await;
    backlog(&pool, "github", 0, 120).await;
    pause(&pool, false).await;
    let is_stripe =
        "select (s.name = 'stripe')::int::bigint from hookgate.deliveries d join hookgate.sources s on s.id = d.source
                      where d.id = $";
    let runs = runs(&pool, &mut calls, 100, is_stripe).await;
    assert!(runs[&1].abs_diff(80) <= 3, "of stripe, which weighs four times as much: {runs:?}");
    drop(calls);
    gateway.shutdown().await;
}

async fn nothing(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    Ok(())
}

/// Ten jobs of one source beside so many of another.
async fn ten_beside(crowd: usize) {
    let (database, pool) = database_with_effects().await;
    let handler = on("*", &["*"]).name("shared").concurrency(4).order(Order::None).run(nothing);
    let gateway = start_with(config(&database, ""), vec![handler]).await;
    Signed::stripe_event("evt_0", "a.b", "in_0").send(gateway.ingest_addr().unwrap()).await;
    Signed::github("gh-0", "push", "{}").send(gateway.ingest_addr().unwrap()).await;
    eventually("both are done", 0, async || unfinished(&pool).await).await;
    execute(&pool, "truncate hookgate.attempts").await;
    backlog(&pool, "stripe", 0, crowd).await;
    eventually("the crowd is worked on", true, async || begun(&pool, "stripe").await > 20).await;
    backlog(&pool, "github", 0, 10).await;
    eventually("the ten are done", 10, async || {
        let done = "select count(*) from hookgate.attempts a join hookgate.subscriptions u on u.id = a.subscription
                      join hookgate.sources s on s.id = u.source where s.name = 'github'";
        number(&pool, done).await
    })
    .await;
    let between = "select count(*) from hookgate.attempts a join hookgate.subscriptions u on u.id = a.subscription
                     join hookgate.sources s on s.id = u.source,
                   (select min(started_at) as first, max(started_at) as last
                      from hookgate.attempts a join hookgate.subscriptions u on u.id = a.subscription
                      join hookgate.sources s on s.id = u.source where s.name = 'github') ten
                    where s.name = 'stripe' and a.started_at between ten.first and ten.last";
    let between = number(&pool, between).await;
    assert!(between <= 40, "{between} jobs of the crowd came between the ten");
    assert!(unfinished(&pool).await > 0, "the crowd was gone before it could be in the way");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_few_jobs_of_one_source_do_not_wait_for_the_backlog_of_another() {
    ten_beside(3_000).await;
}

/// QUEUES' failure mode in full: `cargo test … -- --ignored`.
#[tokio::test]
#[ignore = "makes 200,000 rows"]
async fn a_few_jobs_of_one_source_do_not_wait_for_200_000_of_another() {
    ten_beside(200_000).await;
}
