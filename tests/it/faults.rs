//! What else goes wrong around a gateway: batches that meet, a database that refuses writes, clocks that are wrong.

use std::path::PathBuf;

use hookgate::{Order, on};
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start, start_receiving};
use crate::support::process::{Ledger, booked, database_with_ledger};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, effects, execute, number, unfinished};

/// A transaction during which nothing is recorded, so that requests queue up into batches.
async fn nothing_is_recorded(pool: &sqlx::PgPool) -> sqlx::Transaction<'static, sqlx::Postgres> {
    let mut lock = pool.begin().await.expect("begin");
    sqlx::query("lock table hookgate.receipts in share mode").execute(&mut *lock).await.expect("lock");
    lock
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_of_the_same_events_and_keys_in_opposite_order_never_deadlock() {
    let (database, pool) = database_with_effects().await;
    let (handler, _calls) = puppet(on("stripe", &["*"]).name("book").order(Order::Lane));
    let paused = "update hookgate.subscriptions set paused = true";
    let first = start(&database, "", vec![handler]).await;
    execute(&pool, paused).await;
    let second = start_receiving(&database, "").await;
    let to = [first.ingest_addr().unwrap(), second.ingest_addr().unwrap()];
    let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
    for round in 0..4 {
        let lock = nothing_is_recorded(&pool).await;
        let mut sending = JoinSet::new();
        // The same 40 events through both gateways, up here and down there; and 40 more of the same keys each.
        for n in 0..40 {
            for (gateway, n) in [(0, n), (1, 39 - n)] {
                for id in [format!("evt_{round}_{n}"), format!("evt_{round}_{n}_{gateway}")] {
                    let event = Signed::stripe_event(&id, "a.b", &format!("in_{n}"));
                    sending.spawn(async move {
                        loop {
                            let answer = event.send(to[gateway]).await;
                            if answer.status != 503 {
                                return answer.status;
                            }
                        }
                    });
                }
            }
        }
        let waits =
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
        eventually("both wait with a batch", true, async || number(&pool, waits).await >= 2).await;
        lock.rollback().await.expect("unlock");
        assert!(sending.join_all().await.into_iter().all(|status| status == 202));
    }
    assert_eq!(number(&pool, "select count(*) from hookgate.receipts").await, 4 * 120);
    assert_eq!(number(&pool, "select sum(pending)::bigint from hookgate.lanes").await, 4 * 120);
    assert_eq!(number(&pool, deadlocks).await, 0);
    second.shutdown().await;
    first.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_refuses_writes_costs_503_and_when_it_takes_them_again_all_goes_on() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("book").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        let to = gateway.ingest_addr().unwrap();
        Signed::stripe_event("evt_1", "a.b", "in_1").send(to).await;
        let running = calls.next().await;
        running.book().await;
        // As when it became a standby: sessions end, and new ones can only read.
        let name = database.name();
        execute(&pool, &format!("alter database {name} set default_transaction_read_only = on")).await;
        let end = "select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = current_database() and application_name like 'hookgate %'";
        execute(&pool, end).await;
        running.succeed();
        let second = Signed::stripe_event("evt_2", "a.b", "in_2");
        let refused = second.send(to).await;
        assert_eq!(refused.status, 503, "{}", refused.text);
        assert!(refused.headers.contains_key("retry-after"));
        assert_eq!(
            (effects(&pool, "in_1").await, number(&pool, "select count(*) from hookgate.deliveries").await),
            (0, 1)
        );
        execute(&pool, &format!("begin read write; alter database {name} reset default_transaction_read_only; commit"))
            .await;
        execute(&pool, end).await;

        eventually("it is taken", 202, async || second.send(to).await.status).await;
        while unfinished(&pool).await > 0 {
            if let Some(call) = calls.taken() {
                let _ = call.try_execute(&format!("insert into effect values ('{}', 0)", call.object)).await;
                call.succeed();
            }
            tokio::task::yield_now().await;
        }
        assert_eq!((effects(&pool, "in_1").await, effects(&pool, "in_2").await), (1, 1));
        gateway.shutdown().await;
    }
}

/// The library that lends a process another time. `None`, with the reason printed, where it is not installed.
fn faketime() -> Option<PathBuf> {
    let found = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        .map(|machine| PathBuf::from(format!("/usr/lib/{machine}/faketime/libfaketime.so.1")))
        .into_iter()
        .find(|library| library.is_file());
    if found.is_none() {
        eprintln!("skipped: no libfaketime is installed (apt-get install libfaketime)");
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn gateways_an_hour_ahead_and_behind_take_fresh_signatures_and_keep_their_leases() {
    let Some(library) = faketime() else { return };
    let (database, pool) = database_with_ledger().await;
    let start = |shift: &str| {
        let preload = library.to_str().expect("a path");
        // Intervals are real; only what the clock shows is wrong.
        let settings = [("LD_PRELOAD", preload), ("FAKETIME", shift), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
        Ledger::start_with(&database, r#"["ingest", "worker", "operator"]"#, &settings)
    };
    let gateways = [start("+1h"), start("-1h")];
    for n in 0..20 {
        let kind = ["payment.made", "loose.made"][n / 2 % 2];
        let object = json!({"id": format!("p{n}"), "amount": 100});
        let event =
            json!({"id": format!("evt_{n}"), "type": kind, "created": 1_700_000_000, "data": {"object": object}});
        let answer = Signed::stripe(event.to_string()).send(gateways[n % 2].ingest()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    for n in 0..20 {
        assert_eq!(booked(&pool, &format!("p{n}")).await, 1, "p{n}");
    }
    // A lease judged by a wrong clock would have been over at once.
    assert!(attempts(&pool).await.iter().all(|(attempt, outcome)| (*attempt, outcome.as_str()) == (1, "ok")));
    let stamped = "select count(*) from hookgate.deliveries where abs(extract(epoch from received_at - now())) > 300";
    assert_eq!(number(&pool, stamped).await, 0, "stamped in the database's time");
}
