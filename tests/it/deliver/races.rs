//! Moments at which two may want the same: each has one winner, and nothing is left behind.

use hookgate::{Order, Running, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{SHORT_LEASE, Signed, config, start, start_with};
use crate::support::postgres::TestDatabase;
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{attempts, database_with_effects, effects, execute, lanes, number, tried, unfinished};

const STRANGER: &str = "00000000-0000-4000-8000-000000000001";

async fn short_leased(database: &TestDatabase, order: Order) -> (Running, Calls) {
    let (handler, calls) = puppet(on("stripe", &["*"]).name("book").order(order));
    let mut config = config(database, "");
    config.worker.lease = SHORT_LEASE;
    (start_with(config, vec![handler]).await, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_cannot_say_that_it_lives_starts_nothing_more_and_its_job_runs_once_elsewhere() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (mute, mut of_mute) = short_leased(&database, order).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(mute.ingest_addr().unwrap()).await;
        let held = of_mute.next().await;
        held.book().await;
        // Only its signs of life are held up; all its other connections work.
        let mut lock = pool.begin().await.unwrap();
        sqlx::query("select from hookgate.workers for update").execute(&mut *lock).await.unwrap();
        let (other, mut of_other) = short_leased(&database, order).await;

        let again = of_other.next().await;
        assert_eq!(again.attempt, 2);
        for n in 2..=6 {
            let event = Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}"));
            event.send(mute.ingest_addr().unwrap()).await;
            let call = of_other.next().await;
            call.book().await;
            call.succeed();
        }
        assert!(!of_mute.has_more(), "it started something after its lease");
        again.book().await;
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        held.succeed();
        lock.rollback().await.unwrap();
        mute.shutdown().await;
        other.shutdown().await;
        for n in 1..=6 {
            assert_eq!(effects(&pool, &format!("in_{n}")).await, 1, "in_{n}");
        }
        let outcomes = "select count(*) filter (where outcome = 'ok') * 10 + count(*) from hookgate.attempts";
        assert_eq!(number(&pool, outcomes).await, 67, "six times ok and once lost");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_completion_under_way_wins_over_the_rescue_that_meets_it() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (gateway, mut calls) = short_leased(&database, order).await;
        let mut held = Vec::new();
        for n in 1..=2 {
            let event = Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}"));
            event.send(gateway.ingest_addr().unwrap()).await;
            held.push(calls.next().await);
        }
        // A worker that never was holds both, and is in the middle of settling the first.
        let settled = held[0].delivery;
        let mut settle = pool.begin().await.unwrap();
        for sql in [
            format!("update hookgate.lanes set worker = '{STRANGER}' where worker is not null"),
            format!("update hookgate.jobs set worker = '{STRANGER}' where worker is not null"),
        ] {
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&pool).await.unwrap();
        }
        for sql in [
            format!(
                "select from hookgate.lanes where lane = (select lane from hookgate.jobs where delivery = '{settled}') for update"
            ),
            format!("select from hookgate.jobs where delivery = '{settled}' and lane is null for update"),
        ] {
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *settle).await.unwrap();
        }
        // The rescue takes the second, so it has passed the first by.
        let again = calls.next().await;
        assert_eq!((again.delivery, again.attempt), (held[1].delivery, 2));
        for sql in [
            format!(
                "update hookgate.lanes set state = 'idle', pending = 0, worker = null, claim = null
                  where lane = (select lane from hookgate.jobs where delivery = '{settled}')"
            ),
            format!("delete from hookgate.jobs where delivery = '{settled}'"),
        ] {
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *settle).await.unwrap();
        }
        settle.commit().await.unwrap();
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        for call in held {
            call.succeed();
        }
        gateway.shutdown().await;
        let of_settled = format!("select count(*) from hookgate.attempts where delivery = '{settled}'");
        assert_eq!(number(&pool, &of_settled).await, 0, "the rescue touched what was being settled");
        assert!(!calls.has_more());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_recorded_while_its_lane_is_let_go_of_is_run() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("book").order(Order::Lane));
    let gateway = start(&database, "", vec![handler]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let last = calls.next().await;
    // Another gateway's T1, up to its commit: it counted its job in, and the settle waits for the row.
    let mut recording = pool.begin().await.unwrap();
    for sql in [
        "update hookgate.lanes set pending = pending + 1, next_seq = next_seq + 1",
        "insert into hookgate.jobs (delivery, event, subscription, run, retention, class, lane, seq)
         select delivery, event, subscription, 1, retention, 0, lane, seq + 1 from hookgate.jobs",
    ] {
        sqlx::query(sql).execute(&mut *recording).await.unwrap();
    }
    last.succeed();
    let waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                    and query like '%update hookgate.lanes%'";
    eventually("the settle waits", true, async || number(&pool, waits).await > 0).await;
    recording.commit().await.unwrap();
    calls.next().await.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    assert_eq!(lanes(&pool).await, [("in_1".to_owned(), "idle".to_owned(), 0)]);
    assert_eq!(attempts(&pool).await.len(), tried(&["ok", "ok"]).len());
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_of_one_host_name_are_told_apart() {
    let (database, pool) = database_with_effects().await;
    let (before, mut calls) = short_leased(&database, Order::Lane).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(before.ingest_addr().unwrap()).await;
    let held = calls.next().await;
    let (after, mut of_after) = short_leased(&database, Order::Lane).await;
    let hosts = "select count(distinct host) * 10 + count(*) from hookgate.workers";
    assert_eq!(number(&pool, hosts).await, 12, "one host, two workers");
    // The one before falls silent; the one after, on the same host, goes on saying that it lives.
    execute(&pool, &format!("update hookgate.lanes set worker = '{STRANGER}' where worker is not null")).await;
    let again = async {
        tokio::select! {
            call = of_after.next() => call,
            call = calls.next() => call,
        }
    };
    let again = again.await;
    assert_eq!(again.attempt, 2);
    again.succeed();
    held.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    before.shutdown().await;
    after.shutdown().await;
}
