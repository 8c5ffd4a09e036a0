//! A retired handler gets no more events, leaves no job behind, and comes back when it is declared again.

use hookgate::{Handler, Order, Running, on};
use serde_json::json;

use super::{ask, audited, deliver, handler, miscounted, post};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::postgres::TestDatabase;
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{database_with_effects, deaths, number, unfinished};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];

fn mail(order: Order) -> (Handler, Calls) {
    puppet(on("stripe", &["*"]).name("mail").order(order))
}

async fn of_release(database: &TestDatabase, release: u32, handlers: Vec<Handler>) -> Running {
    start(database, &format!("registry.release = {release}\n"), handlers).await
}

#[tokio::test]
async fn its_queue_ends_cancelled_what_runs_may_end_and_new_events_are_not_for_it() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (mail, mut calls) = mail(order);
        let gateway = start(&database, "", vec![mail]).await;
        deliver(&gateway, 1, "in_1").await;
        let running = calls.next().await;
        post(&gateway, "pause", json!({"handler": "mail"})).await;
        for n in 2..=4 {
            deliver(&gateway, n, "in_1").await;
        }
        let done = post(&gateway, "handlers/mail/retire", json!({})).await;
        assert_eq!((&done["changed"], &done["cancelled"], &done["running"]), (&json!(true), &json!(3), &json!(1)));
        assert_eq!((unfinished(&pool).await, miscounted(&pool).await), (1, 0));
        let after = Signed::stripe_event("evt_9", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((after.status, after.outcome()), (202, "unhandled"));
        running.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!(deaths(&pool).await, vec!["cancelled"; 3]);
        // A provider that sends again revives nothing of it.
        let again = Signed::stripe_event("evt_2", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((again.outcome(), unfinished(&pool).await), ("duplicate", 0));
        assert!(handler(&gateway, "mail").await["retired_at"].is_string());
        assert_eq!(audited(&pool, "handler.retire", "mail").await, 1);
        let twice = post(&gateway, "handlers/mail/retire", json!({})).await;
        assert_eq!((&twice["changed"], &twice["cancelled"]), (&json!(false), &json!(0)));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_run_that_fails_after_the_retirement_leaves_no_job_behind() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (mail, mut calls) = mail(order);
        let gateway = start(&database, "", vec![mail]).await;
        deliver(&gateway, 1, "in_1").await;
        let running = calls.next().await;
        post(&gateway, "handlers/mail/retire", json!({})).await;
        running.fail();
        eventually("it waits", 1, async || {
            number(&pool, "select count(*) from hookgate.jobs where state = 'waiting'").await
        })
        .await;
        // Each process looks when it starts, and once a minute.
        let other = start(&database, "", vec![]).await;
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!((deaths(&pool).await, miscounted(&pool).await), (vec!["cancelled".to_owned()], 0));
        other.shutdown().await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn it_is_revived_by_a_declaration_of_a_release_that_is_not_older() {
    let (database, pool) = database_with_effects().await;
    let gateway = of_release(&database, 5, vec![mail(Order::None).0]).await;
    post(&gateway, "handlers/mail/retire", json!({})).await;
    gateway.shutdown().await;
    // An older program is restarted: it must not bring it back.
    let older = of_release(&database, 4, vec![mail(Order::None).0]).await;
    let answer = Signed::stripe_event("evt_1", "a.b", "in_1").send(older.ingest_addr().unwrap()).await;
    assert_eq!((answer.outcome(), unfinished(&pool).await), ("unhandled", 0));
    older.shutdown().await;
    let (again, mut calls) = mail(Order::None);
    let gateway = of_release(&database, 5, vec![again]).await;
    assert!(handler(&gateway, "mail").await["retired_at"].is_null());
    deliver(&gateway, 2, "in_2").await;
    calls.next().await.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    let (status, _) = ask(&gateway, "POST", "handlers/male/retire", json!({})).await;
    assert_eq!(status, 404);
    gateway.shutdown().await;
}
