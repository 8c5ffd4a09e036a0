//! Who may run what, and how much of it at once.

use std::time::Duration;

use hookgate::config::{Config, ProcessRole};
use hookgate::{Order, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{SHORT_LEASE, Signed, config, start, start_with};
use crate::support::puppet::puppet;
use crate::support::work::{database_with_effects, deaths, execute, number, unfinished};

#[tokio::test]
async fn a_handler_runs_no_more_at_once_than_its_concurrency_in_lanes_and_outside() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (narrow, mut narrow_calls) = puppet(on("stripe", &["*"]).name("narrow").order(order).concurrency(2));
        let (wide, mut wide_calls) = puppet(on("stripe", &["*"]).name("wide").order(order).concurrency(10));
        let gateway = start(&database, "", vec![narrow, wide]).await;
        for n in 0..6 {
            Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}"))
                .send(gateway.ingest_addr().unwrap())
                .await;
        }
        // All of the wide one's have begun, so the worker has looked after the last event came.
        let mut wide_held = Vec::new();
        for _ in 0..6 {
            wide_held.push(wide_calls.next().await);
        }
        let mut held = vec![narrow_calls.next().await, narrow_calls.next().await];
        for left in (0..6).rev() {
            let running = "select count(*) from hookgate.jobs j
                join hookgate.subscriptions s on s.id = j.subscription join hookgate.handlers h on h.id = s.handler
                where h.name = 'narrow' and j.state = 'running'";
            assert!(!narrow_calls.has_more() && number(&pool, running).await <= 2);
            held.pop().expect("one that runs").succeed();
            if left >= 2 {
                held.push(narrow_calls.next().await);
            }
        }
        wide_held.into_iter().for_each(|call| call.succeed());
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_source_that_appears_later_has_the_handlers_that_match_it() {
    let (database, _pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("*", &["*"]).name("all"));
    let first = start(&database, "", vec![handler]).await;
    // Another gateway, which has the source and not the handler.
    let late = "[source.late]\nprovider = 'stripe'\nsecrets = [{ literal = 'whsec_test_secret_of_stripe' }]\n";
    let mut config = config(&database, late);
    config.server.roles = [ProcessRole::Ingest].into();
    let second = start_with(config, vec![]).await;
    let event = Signed { source: "late", ..Signed::stripe_event("evt_1", "a.b", "in_1") };
    let answer = event.send(second.ingest_addr().unwrap()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    let call = calls.next().await;
    assert_eq!(call.delivery.to_string(), answer.id());
    call.succeed();
    second.shutdown().await;
    first.shutdown().await;
}

#[tokio::test]
async fn a_paused_subscription_is_recorded_for_and_not_run() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (paused, mut calls) = puppet(on("stripe", &["*"]).name("paused").order(order));
        let (other, mut other_calls) = puppet(on("stripe", &["*"]).name("other").order(order));
        let gateway = start(&database, "", vec![paused, other]).await;
        let set = "update hookgate.subscriptions set paused = $ where handler = (select id from hookgate.handlers where name = 'paused')";
        execute(&pool, &set.replace('$', "true")).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        other_calls.next().await.succeed();
        eventually("the other's end", 1, async || unfinished(&pool).await).await;
        assert!(!calls.has_more());
        execute(&pool, &set.replace('$', "false")).await;
        calls.next().await.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn handlers_that_sit_on_every_connection_do_not_make_their_worker_look_dead() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("greedy").concurrency(8));
    let mut config = config(&database, "");
    config.worker.lease = SHORT_LEASE;
    // One is the listener's.
    config.database.worker_connections = 4;
    let gateway = start_with(config, vec![handler]).await;
    let mut held = Vec::new();
    for n in 0..3 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}")).send(gateway.ingest_addr().unwrap()).await;
        let call = calls.next().await;
        call.book().await;
        held.push(call);
    }
    let spoke = "select (extract(epoch from max(heartbeat_at)) * 1000)::bigint from hookgate.workers";
    let before = number(&pool, spoke).await;
    // Longer than its lease of two seconds.
    eventually("it goes on saying that it lives", true, async || number(&pool, spoke).await > before + 2500).await;
    held.into_iter().for_each(|call| call.succeed());
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where outcome <> 'ok'").await, 0);
    assert_eq!(number(&pool, "select count(*) from effect").await, 3);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_claim_whose_worker_is_not_registered_is_taken_back() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("lost").order(order));
        let mut config = config(&database, "");
        config.worker.lease = SHORT_LEASE;
        let gateway = start_with(config, vec![handler]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        let held = calls.next().await;
        // As if it had been stopped between its last sign of life and its claim, and buried in between.
        let stranger = "worker = '00000000-0000-4000-8000-000000000001'";
        execute(&pool, &format!("update hookgate.lanes set {stranger} where worker is not null")).await;
        execute(&pool, &format!("update hookgate.jobs set {stranger} where worker is not null")).await;
        let again = calls.next().await;
        assert_eq!(again.attempt, 2);
        again.succeed();
        held.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        let outcomes = "select count(*) filter (where outcome = 'ok') * 10 + count(*) from hookgate.attempts";
        eventually("lost and ok", 12, async || number(&pool, outcomes).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn two_sources_of_one_handler_take_turns() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("*", &["*"]).name("both").concurrency(1));
    let gateway = start(&database, "", vec![handler]).await;
    let ingest = gateway.ingest_addr().unwrap();
    Signed::stripe_event("evt_0", "a.b", "stripe's").send(ingest).await;
    let mut running = calls.next().await;
    for n in 1..=6 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", "stripe's").send(ingest).await;
        Signed::github(&format!("gh-{n}"), "push", "{}").send(ingest).await;
    }
    let mut order = Vec::new();
    for _ in 0..12 {
        running.succeed();
        running = calls.next().await;
        order.push(running.object.clone());
    }
    running.succeed();
    assert!(order.windows(3).all(|three| three[0] != three[1] || three[1] != three[2]), "{order:?}");
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_statement_ends_with_its_job_and_gives_its_connection_back() {
    let (database, pool) = database_with_effects().await;
    let brief = Duration::from_millis(300);
    let named = on("stripe", &["*"]).name("stuck").attempts(8).timeout(brief).backoff(Duration::ZERO, 1, brief);
    let (handler, mut calls) = puppet(named);
    let config = config(&database, "");
    let settings = hookgate::config::Database { worker_connections: 4, ..config.database.clone() };
    let gateway = start_with(Config { database: settings, ..config }, vec![handler]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    for _ in 0..8 {
        let call = calls.next().await;
        // Until its time is over, and then no longer.
        let _ = call.try_execute("select pg_sleep(40)").await;
    }
    eventually("its death", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
    let sleeping = "select count(*) from pg_stat_activity
                     where datname = current_database() and state = 'active' and query like '%pg_sleep(40)'";
    eventually("nobody sleeps on", 0, async || number(&pool, sleeping).await).await;
    gateway.shutdown().await;
}
