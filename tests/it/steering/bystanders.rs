//! A job that kills its process takes those that ran beside it along once: none of them is buried for it.

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::support::eventually::eventually;
use crate::support::gateway::Signed;
use crate::support::process::{Ledger, booked, database_with_ledger, open_gate, reached};
use crate::support::work::{deaths, number, unfinished};

async fn deliver(to: &Ledger, kind: &str, id: &str, drill: Value) {
    let object = json!({"id": id, "amount": 100, "drill": drill});
    let event = json!({"id": format!("evt_{id}"), "type": kind, "created": 1_700_000_000, "data": {"object": object}});
    let answer = Signed::stripe(event.to_string()).send(to.ingest()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
}

/// The most jobs that a process died on before and one process runs now. One that just died still has its own.
async fn running_suspects(pool: &PgPool) -> i64 {
    number(
        pool,
        "select coalesce(max(jobs), 0) from (
             select count(*) as jobs from hookgate.jobs j left join hookgate.lanes l using (lane)
              where j.state = 'running' and j.rescues > 0 group by coalesce(j.worker, l.worker)) p",
    )
    .await
}

#[tokio::test]
async fn whoever_ran_beside_it_runs_to_its_end_and_it_alone_is_poison() {
    for kind in ["loose.made", "payment.made"] {
        let (database, pool) = database_with_ledger().await;
        let mut first = Ledger::start(&database);
        for id in ["p1", "p2", "p3"] {
            deliver(&first, kind, id, json!({"waits_at": ["called"]})).await;
            reached(&pool, id, "called", 1).await;
        }
        deliver(&first, kind, "poison", json!({"dies_at": "called"})).await;
        first.wait();

        // A second process has places for all of them, and takes one. Where that is the poison, it dies alone, and a third
        // goes on.
        let mut processes = vec![Ledger::start_worker(&database)];
        let begun = "select count(*) from drill_reached";
        loop {
            eventually("the first process was found silent", 0, async || {
                number(&pool, "select count(*) from hookgate.jobs where state = 'running' and rescues = 0").await
            })
            .await;
            if number(&pool, begun).await >= 4 {
                break;
            }
            if processes.last_mut().expect("one").has_ended() {
                processes.push(Ledger::start_worker(&database));
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert_eq!((running_suspects(&pool).await, number(&pool, begun).await), (1, 4), "{kind}");
        for id in ["p1", "p2", "p3"] {
            open_gate(&pool, id, "called").await;
        }
        while unfinished(&pool).await > 0 {
            assert!(running_suspects(&pool).await <= 1);
            if processes.last_mut().expect("one").has_ended() {
                assert!(processes.len() < 6, "processes go on dying");
                processes.push(Ledger::start_worker(&database));
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        assert_eq!(deaths(&pool).await, vec!["poison".to_owned()]);
        for id in ["p1", "p2", "p3"] {
            assert_eq!(booked(&pool, id).await, 1, "{kind} {id}");
        }
        assert_eq!(booked(&pool, "poison").await, 0);
    }
}
