//! Claims that a live worker holds and does not know of, or can't end: nobody else may rescue them, so it must itself.

use std::time::Duration;

use hookgate::config::{Config, Worker};
use hookgate::{Order, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start, start_with};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, execute, job, lanes, number, tried, unfinished};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];
const PAUSE: &str = "update hookgate.subscriptions set paused = true";
const RESUME: &str = "update hookgate.subscriptions set paused = false";

#[tokio::test]
async fn a_claim_whose_commit_was_not_heard_of_is_handed_back() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("unheard").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        execute(&pool, PAUSE).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        // What a claim leaves when its COMMIT took place and the answer was lost.
        let claim = "worker = (select id from hookgate.workers), claim = 999999";
        match order {
            Order::Lane => execute(&pool, &format!("update hookgate.lanes set state = 'claimed', {claim}")).await,
            _ => execute(&pool, &format!("update hookgate.jobs set {claim}")).await,
        }
        execute(&pool, "update hookgate.jobs set state = 'running', attempt = 1, started_at = now()").await;
        execute(&pool, RESUME).await;
        let call = calls.next().await;
        assert_eq!((call.attempt, job(&pool).await.rescues), (2, 0));
        call.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!(attempts(&pool).await, tried(&["lost", "ok"]));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_outage_shorter_than_the_lease_strands_no_claim_and_loses_no_result() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("patient").order(order));
        let config = config(&database, "");
        let worker = Worker { lease: Duration::from_millis(6500), ..config.worker.clone() };
        let gateway = start_with(Config { worker, ..config }, vec![handler]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        let call = calls.next().await;
        // A database that answers, and only to say that it can't just now: no sign of life gets through, and no result.
        execute(
            &pool,
            "create function not_now() returns trigger language plpgsql as
                 $$ begin raise exception 'as the test told it' using errcode = 'serialization_failure'; end $$;
             create trigger not_now before update on hookgate.workers for each row execute function not_now();
             create trigger not_now before delete on hookgate.jobs for each row execute function not_now()",
        )
        .await;
        call.succeed();
        // So long that the worker can't be sure of its claim any more, and not so long that it lost it.
        let silent = "select count(*) from hookgate.workers where heartbeat_at < clock_timestamp() - interval '5.6 s'";
        eventually("a worker in doubt", 1, async || number(&pool, silent).await).await;
        execute(&pool, "drop function not_now() cascade").await;
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!((attempts(&pool).await, calls.has_more()), (tried(&["ok"]), false));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_job_whose_payload_cannot_be_read_is_left_alone_for_a_while_and_loses_no_attempt() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("blind").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        execute(&pool, PAUSE).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        execute(&pool, "alter table hookgate.deliveries rename to away").await;
        execute(&pool, RESUME).await;
        let table = if order == Order::Lane { "lanes" } else { "jobs" };
        let waits = format!(
            "select count(*) from hookgate.{table} where state = 'ready' and due > clock_timestamp() + interval '0.3 s'"
        );
        eventually("it is left alone", 1, async || number(&pool, &waits).await).await;
        assert_eq!(job(&pool).await.attempt, 0);
        execute(&pool, "alter table hookgate.away rename to deliveries").await;
        let call = calls.next().await;
        assert_eq!(call.attempt, 1);
        call.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert!(lanes(&pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0)));
        gateway.shutdown().await;
    }
}
