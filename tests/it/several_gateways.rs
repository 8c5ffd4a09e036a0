//! Several gateways on one Postgres, as processes: each role does its part, and one after another can be replaced.

use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hookgate::config::ProcessRole;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, config, start_with};
use crate::support::process::{Ledger, booked, database_with_ledger};
use crate::support::work::{execute, number, unfinished};

fn payment(kind: &str, id: &str) -> Signed {
    let object = json!({"id": id, "amount": 100});
    let event = json!({"id": format!("evt_{id}"), "type": kind, "created": 1_700_000_000, "data": {"object": object}});
    Signed::stripe(event.to_string())
}

/// However busy the machine.
const NOBODY_IS_TAKEN_FOR_DEAD: (&str, &str) = ("HOOKGATE__WORKER__LEASE", "60s");

#[tokio::test(flavor = "multi_thread")]
async fn each_role_in_a_process_of_its_own_does_its_part() {
    // With LISTEN the work must be heard of long before anybody looks by himself; without, the poll finds it.
    for (listen, poll) in [("true", "60s"), ("false", "200ms")] {
        let (database, pool) = database_with_ledger().await;
        let settings =
            [("HOOKGATE__DATABASE__LISTEN", listen), ("HOOKGATE__WORKER__POLL", poll), NOBODY_IS_TAKEN_FOR_DEAD];
        let receiver = Ledger::start_with(&database, r#"["ingest"]"#, &settings);
        let early = payment("payment.made", "p0").send(receiver.ingest()).await;
        assert_eq!(early.outcome(), "unhandled", "no worker has declared a handler yet");
        let _worker = Ledger::start_with(&database, r#"["worker"]"#, &settings);
        let mut operator = config(&database, "");
        operator.server.roles = [ProcessRole::Operator].into();
        let operator = start_with(operator, Vec::new()).await;
        assert_eq!((operator.ingest_addr(), number(&pool, "select count(*) from hookgate.workers").await), (None, 1));

        for (n, kind) in ["payment.made", "loose.made"].into_iter().enumerate() {
            let id = format!("p{}", n + 1);
            let answer = payment(kind, &id).send(receiver.ingest()).await;
            assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
            eventually("it is booked", 1, async || booked(&pool, &id).await).await;
        }
        // What listens is cut off, and hears again. A hint that was lost meanwhile is what the poll is for, so others come.
        execute(
            &pool,
            "select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and application_name like 'hookgate worker%'",
        )
        .await;
        let sent = Cell::new(3);
        eventually("one of those that follow is booked", true, async || {
            payment("payment.made", &format!("p{}", sent.replace(sent.get() + 1))).send(receiver.ingest()).await;
            number(&pool, "select count(*) from ledger").await > 2
        })
        .await;

        let url = format!("http://{}/api/v1/deliveries/{}/replay", operator.operator_addr().unwrap(), early.id());
        let replayed = client().post(url).json(&json!({})).send().await.expect("an answer");
        assert!(replayed.status().is_success(), "{}", replayed.status());
        eventually("what came too early is booked by a replay", 1, async || booked(&pool, "p0").await).await;
        let ready = client().get(format!("http://{}/readyz", operator.operator_addr().unwrap())).send().await;
        assert_eq!(ready.expect("an answer").status(), 200);
        operator.shutdown().await;
    }
}

/// Where gateways receive now.
type Addresses = Arc<Mutex<Vec<SocketAddr>>>;

/// Sends payments one after another, each until it is acknowledged, as a provider does; how many.
async fn send_steadily(name: usize, addresses: Addresses, stop: CancellationToken) -> usize {
    let mut n = 0;
    while !stop.is_cancelled() {
        let kind = ["payment.made", "loose.made"][n % 2];
        let event = payment(kind, &format!("s{name}_{n}"));
        let mut tries = 0;
        loop {
            let to = {
                let addresses = addresses.lock().expect("no panic");
                addresses[(n + tries) % addresses.len()]
            };
            match event.try_send(to).await.map(|answer| answer.status) {
                Some(202) => break,
                None | Some(503) => tries += 1,
                Some(other) => panic!("answered {other}"),
            }
        }
        n += 1;
    }
    n
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_restart_under_load_loses_and_doubles_nothing() {
    let (database, pool) = database_with_ledger().await;
    let start = || Ledger::start_with(&database, r#"["ingest", "worker", "operator"]"#, &[NOBODY_IS_TAKEN_FOR_DEAD]);
    let mut gateways = [start(), start()];
    let addresses: Addresses = Arc::new(Mutex::new(gateways.iter().map(Ledger::ingest).collect()));
    let stop = CancellationToken::new();
    let senders: Vec<_> =
        (0..3).map(|name| tokio::spawn(send_steadily(name, Arc::clone(&addresses), stop.clone()))).collect();
    let ok = "select count(*) from hookgate.attempts where outcome = 'ok'";
    for gateway in &mut gateways {
        let before = number(&pool, ok).await;
        eventually("work is being done", true, async || number(&pool, ok).await > before + 10).await;
        let (old, new) = (gateway.ingest(), start());
        // The new one first; the old one is told to end while it still gets requests.
        addresses.lock().expect("no panic").push(new.ingest());
        gateway.terminate();
        addresses.lock().expect("no panic").retain(|address| *address != old);
        *gateway = new;
    }
    let before = number(&pool, ok).await;
    eventually("and goes on", true, async || number(&pool, ok).await > before + 10).await;
    stop.cancel();
    let mut sent = 0;
    for sender in senders {
        sent += sender.await.expect("no panic") as i64;
    }
    // As long as it goes on, it may take its time.
    while let left @ 1.. = unfinished(&pool).await {
        eventually("fewer are left", true, async || unfinished(&pool).await < left).await;
    }
    let booked = "select count(*) * 1000000 + count(distinct payment) from ledger";
    assert_eq!(number(&pool, booked).await, sent * 1_000_001, "{sent} were acknowledged");
    let others = "select count(*) from hookgate.attempts where outcome <> 'ok'";
    assert_eq!(number(&pool, others).await, 0, "nothing was cut off or rescued");
    assert_eq!(number(&pool, "select count(*) from hookgate.workers").await, 2, "those that ended left in order");
}
