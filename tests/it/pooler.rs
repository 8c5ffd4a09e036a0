//! Behind PgBouncer in transaction mode: every transaction may meet another session, and all promises hold.
//!
//! Where no PgBouncer is installed these say so and pass.

use std::time::Duration;

use hookgate::{Gateway, HandlerError, Named, Order, Running, on};
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, pooled, start_with};
use crate::support::pgbouncer::before;
use crate::support::postgres::TestDatabase;
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{
    attempts, database_with_effects, deaths, effects, execute, lanes, number, tried, unfinished,
};

/// A gateway behind the pooler, and the database past it.
async fn scene(handler: Named) -> Option<(Running, Calls, TestDatabase, PgPool)> {
    let (database, pool) = database_with_effects().await;
    let through = before(&database)?;
    let (handler, calls) = puppet(handler);
    Some((start_with(pooled(&through, ""), vec![handler]).await, calls, through, pool))
}

async fn all_done(pool: &PgPool) {
    eventually("no unfinished job", 0, async || unfinished(pool).await).await;
}

async fn get(gateway: &Running, path: &str) -> (u16, Value) {
    let url = format!("http://{}{path}", gateway.operator_addr().unwrap());
    let response = client().get(url).send().await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn migrations_are_refused_with_what_to_do() {
    let (database, _) = database_with_effects().await;
    let refused = Gateway::builder().config(pooled(&database, "")).migrate().await.unwrap_err().to_string();
    assert!(refused.contains("`database.url` of Postgres itself and `database.pooler = false`"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_recorded_once_and_its_effect_commits_with_it() {
    for order in [Order::None, Order::Lane] {
        let Some((gateway, mut calls, _, pool)) = scene(on("stripe", &["*"]).name("book").order(order)).await else {
            return;
        };
        let event = Signed::stripe_event("evt_1", "a.b", "in_1");
        let answer = event.send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
        let call = calls.next().await;
        call.book().await;
        assert_eq!(effects(&pool, "in_1").await, 0, "before it is done");
        call.succeed();
        all_done(&pool).await;
        let again = event.send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((again.status, again.outcome()), (202, "duplicate"), "{}", again.text);
        assert_eq!((effects(&pool, "in_1").await, attempts(&pool).await), (1, tried(&["ok"])));
        gateway.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_gateways_run_each_key_in_order_while_many_sessions_are_shared() {
    let Some((first, mut calls, through, pool)) =
        scene(on("stripe", &["*"]).name("book").order(Order::Lane).concurrency(3)).await
    else {
        return;
    };
    let second = start_with(pooled(&through, ""), Vec::new()).await;
    let to = [first.ingest_addr().unwrap(), second.ingest_addr().unwrap()];
    let sending = tokio::spawn(async move {
        for n in 0..60 {
            let event = Signed::stripe_event(&format!("evt_{n:02}"), "a.b", &format!("in_{}", n % 3));
            let answer = event.send(to[n / 2 % 2]).await;
            assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
        }
    });
    let mut running: Vec<String> = Vec::new();
    for _ in 0..60 {
        let call = calls.next().await;
        assert!(!running.contains(&call.object), "two of one key at once");
        let sql = "insert into effect (object, attempt) values ";
        call.execute(&format!("{sql} ('{}', {})", call.object, call.sequence.expect("a place") % 1_000_000_000))
            .await
            .unwrap();
        running.clear();
        call.succeed();
    }
    sending.await.expect("no panic");
    all_done(&pool).await;
    let done = "select count(*) from hookgate.attempts where outcome = 'ok' and attempt = 1 and not out_of_order";
    assert_eq!(number(&pool, done).await, 60);
    // By the time each was done, in the order in which each was received.
    let inverted = "select count(*) from (select a.ended_at, lag(a.ended_at) over (partition by d.ordering_key order by a.seq) as before
                      from hookgate.attempts a join hookgate.deliveries d on d.id = a.delivery) o where ended_at < before";
    assert_eq!(number(&pool, inverted).await, 0);
    assert!(lanes(&pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0)));
    second.shutdown().await;
    first.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_tried_again_and_what_is_dead_comes_back_by_redelivery_and_by_replay() {
    for order in [Order::None, Order::Lane] {
        let handler = on("stripe", &["*"]).name("book").order(order).attempts(2);
        let Some((gateway, mut calls, _, pool)) =
            scene(handler.backoff(Duration::ZERO, 1, Duration::from_secs(1))).await
        else {
            return;
        };
        let event = Signed::stripe_event("evt_1", "a.b", "in_1");
        let delivery = event.send(gateway.ingest_addr().unwrap()).await.id().to_owned();
        for _ in 0..2 {
            let call = calls.next().await;
            call.book().await;
            call.fail();
        }
        eventually("it is dead", vec!["exhausted".to_owned()], async || deaths(&pool).await).await;
        let again = event.send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((again.status, again.outcome()), (202, "requeued"), "{}", again.text);
        calls.next().await.end(HandlerError::because("hopeless").permanent());
        eventually("it is dead again", vec!["permanent".to_owned()], async || deaths(&pool).await).await;
        let url = format!("http://{}/api/v1/deliveries/{delivery}/replay", gateway.operator_addr().unwrap());
        let response = client().post(url).json(&json!({})).send().await.expect("an answer");
        let answer: Value = response.json().await.expect("JSON");
        assert_eq!(answer["redriven"], json!(["book"]), "{answer}");
        let call = calls.next().await;
        call.book().await;
        call.succeed();
        all_done(&pool).await;
        assert_eq!(effects(&pool, "in_1").await, 1, "whatever failed was rolled back");
        assert_eq!(attempts(&pool).await, tried(&["failed", "failed", "permanent", "ok"]));
        gateway.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_work_of_a_worker_that_vanished_is_rescued_and_its_result_refused() {
    for order in [Order::None, Order::Lane] {
        let Some((gateway, mut calls, _, pool)) = scene(on("stripe", &["*"]).name("book").order(order)).await else {
            return;
        };
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        let held = calls.next().await;
        held.book().await;
        // As if its worker had been buried meanwhile.
        let stranger = "worker = '00000000-0000-4000-8000-000000000001'";
        execute(&pool, &format!("update hookgate.lanes set {stranger} where worker is not null")).await;
        execute(&pool, &format!("update hookgate.jobs set {stranger} where worker is not null")).await;
        let again = calls.next().await;
        assert_eq!(again.attempt, 2);
        again.book().await;
        again.succeed();
        all_done(&pool).await;
        held.succeed();
        gateway.shutdown().await;
        assert_eq!(effects(&pool, "in_1").await, 1);
        let mut outcomes = attempts(&pool).await;
        outcomes.sort();
        assert_eq!(outcomes, tried(&["lost", "ok"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_are_answered_and_maintenance_keeps_the_days() {
    let (database, pool) = database_with_effects().await;
    let Some(through) = before(&database) else { return };
    // A day long gone, and one ahead that is missing.
    execute(
        &pool,
        "create table hookgate.copies_short_20250101 partition of hookgate.copies_short
            for values from ('01941f29-7c00-0000-0000-000000000000') to ('01942450-0000-0000-0000-000000000000')",
    )
    .await;
    let ahead = "(select max(relname) from pg_class where relname like 'copies_short_2%' and relkind = 'r')";
    let missing: String =
        sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select {ahead}::text"))).fetch_one(&pool).await.unwrap();
    execute(&pool, &format!("drop table hookgate.{missing}")).await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("book"));
    let gateway = start_with(pooled(&through, ""), vec![handler]).await;
    let there = |table: &str| format!("select count(*) from pg_class where relname = '{table}'");
    eventually("the old day goes", 0, async || number(&pool, &there("copies_short_20250101")).await).await;
    assert_eq!(number(&pool, &there(&missing)).await, 1, "made at the start");

    eventually("it is ready", 200, async || get(&gateway, "/readyz").await.0).await;
    let answer = Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    calls.next().await.succeed();
    all_done(&pool).await;
    let (status, listed) = get(&gateway, "/api/v1/deliveries").await;
    assert_eq!((status, &listed["items"][0]["id"]), (200, &json!(answer.id())), "{listed}");
    for path in ["/api/v1/sources", "/api/v1/workers", "/api/v1/dead", &format!("/api/v1/deliveries/{}", answer.id())] {
        let (status, body) = get(&gateway, path).await;
        assert_eq!(status, 200, "{path}: {body}");
    }
    gateway.shutdown().await;
    assert_eq!(number(&pool, "select count(*) from hookgate.workers").await, 0, "it left in order");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_through_two_gateways_is_handled_once_each_and_no_statement_meets_another_clients() {
    let Some((first, mut calls, through, pool)) = scene(on("stripe", &["*"]).name("book").concurrency(8)).await else {
        return;
    };
    let second = start_with(pooled(&through, ""), Vec::new()).await;
    let to = [first.ingest_addr().unwrap(), second.ingest_addr().unwrap()];
    // Each twice, at once.
    let mut sending = tokio::task::JoinSet::new();
    for n in 0..200 {
        sending.spawn(async move {
            loop {
                let event = Signed::stripe_event(&format!("evt_{}", n / 2), "a.b", &format!("in_{}", n / 2));
                let answer = event.send(to[n % 2]).await;
                // As its provider would when the machine is busy.
                if answer.status != 503 {
                    return answer.outcome().to_owned();
                }
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        });
    }
    for _ in 0..100 {
        let call = calls.next().await;
        call.book().await;
        call.succeed();
    }
    let answers = sending.join_all().await;
    let count = |outcome: &str| answers.iter().filter(|answer| *answer == outcome).count();
    assert_eq!((count("accepted"), count("duplicate")), (100, 100), "{answers:?}");
    all_done(&pool).await;
    let once = "select count(*) from (select object from effect group by object having count(*) = 1) e";
    assert_eq!(number(&pool, once).await, 100);
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where outcome <> 'ok'").await, 0);
    second.shutdown().await;
    first.shutdown().await;
}
