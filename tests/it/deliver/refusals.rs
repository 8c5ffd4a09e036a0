//! What the database goes on refusing to settle: it ends as a failure, or gives its place to others.

use hookgate::{Order, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, execute, job, last_error, tried, unfinished};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];

/// Makes Postgres refuse, for the jobs that are there, what `event` says.
fn refusal(event: &str) -> String {
    format!(
        "create table refused as select delivery from hookgate.jobs;
         create function refuse() returns trigger language plpgsql as $$ begin
             if old.delivery in (select delivery from refused) and (tg_op = 'DELETE' or new.state = 'waiting') then
                 raise exception 'as the test told it' using errcode = 'check_violation';
             end if;
             return coalesce(new, old);
         end $$;
         create trigger refuse before {event} on hookgate.jobs for each row execute function refuse()"
    )
}

#[tokio::test]
async fn a_success_that_the_database_refuses_to_settle_is_a_failure_that_says_why() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("refused").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        let call = calls.next().await;
        execute(&pool, &refusal("delete")).await;
        call.succeed();
        eventually("a failure", ("waiting".to_owned(), 1), async || {
            let job = job(&pool).await;
            (job.state, job.failures)
        })
        .await;
        assert_eq!(attempts(&pool).await, tried(&["failed"]));
        assert!(last_error(&pool).await.contains("as the test told it"), "{}", last_error(&pool).await);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_job_that_can_be_settled_in_no_way_frees_its_place_and_runs_again() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("stuck").order(order).concurrency(1));
        let gateway = start(&database, "", vec![handler]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        let stuck = calls.next().await;
        let delivery = stuck.delivery;
        execute(&pool, &refusal("delete or update")).await;
        Signed::stripe_event("evt_2", "a.b", "in_2").send(gateway.ingest_addr().unwrap()).await;
        stuck.succeed();
        let other = calls.next().await;
        assert_ne!(other.delivery, delivery);
        execute(&pool, "drop trigger refuse on hookgate.jobs").await;
        other.succeed();
        let again = calls.next().await;
        assert_eq!((again.delivery, again.attempt), (delivery, 2));
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}
