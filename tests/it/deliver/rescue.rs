//! A rescue takes back what it can: one row in its way keeps nobody else's work.

use hookgate::{Order, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, execute, number, unfinished};

#[tokio::test]
async fn a_row_that_cannot_be_moved_keeps_only_itself_from_being_rescued() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("lost").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        let mut held = Vec::new();
        for n in 1..=3 {
            let event = Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}"));
            event.send(gateway.ingest_addr().unwrap()).await;
            held.push(calls.next().await);
        }
        let bad = held[0].delivery;
        execute(
            &pool,
            &format!(
                "create function refuse() returns trigger language plpgsql as $$ begin
                     if new.delivery = '{bad}' and new.state = 'ready' then raise exception 'as the test told it'; end if;
                     return new;
                 end $$;
                 create trigger refuse before update on hookgate.jobs for each row execute function refuse()"
            ),
        )
        .await;
        // Two workers that never were: the first holds the bad row and a good one, the second a good one.
        for (worker, call) in [1, 1, 2].into_iter().zip(&held) {
            let to = format!("set worker = '00000000-0000-4000-8000-00000000000{worker}'");
            let of = format!("from hookgate.jobs where delivery = '{}'", call.delivery);
            execute(&pool, &format!("update hookgate.lanes {to} where lane in (select lane {of})")).await;
            execute(
                &pool,
                &format!("update hookgate.jobs {to} where lane is null and delivery in (select delivery {of})"),
            )
            .await;
        }
        for _ in 0..2 {
            let again = calls.next().await;
            assert_eq!((again.delivery == bad, again.attempt), (false, 2));
            again.succeed();
        }
        eventually("only the bad one is left", 1, async || unfinished(&pool).await).await;
        execute(&pool, "drop trigger refuse on hookgate.jobs").await;
        let last = calls.next().await;
        assert_eq!((last.delivery, last.attempt), (bad, 2));
        last.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_attempt_row_that_cannot_be_written_keeps_nothing_from_being_rescued() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("lost").order(order));
        let gateway = start(&database, "", vec![handler]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        let _held = calls.next().await;
        execute(
            &pool,
            "create function refuse() returns trigger language plpgsql as
                 $$ begin raise exception 'the disk of the log is full'; end $$;
             create trigger refuse before insert on hookgate.attempts for each row execute function refuse()",
        )
        .await;
        let stranger = "worker = '00000000-0000-4000-8000-000000000001'";
        execute(&pool, &format!("update hookgate.lanes set {stranger} where worker is not null")).await;
        execute(&pool, &format!("update hookgate.jobs set {stranger} where worker is not null")).await;
        let again = calls.next().await;
        assert_eq!(again.attempt, 2);
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert!(attempts(&pool).await.is_empty());
        assert_eq!(number(&pool, "select count(*) from hookgate.dead").await, 0);
        gateway.shutdown().await;
    }
}
