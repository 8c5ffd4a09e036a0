//! Cancelled jobs end where everybody can see it, leave their lanes right, and come back when they are asked to.

use hookgate::{Order, on};
use serde_json::json;

use super::{ask, audited, deliver, get, miscounted, post};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, deaths, effects, execute, lanes, number, unfinished};

const ORDERS: [Order; 2] = [Order::None, Order::Lane];

#[tokio::test]
async fn all_that_is_queued_of_a_handler_ends_at_once_and_can_be_redriven() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail").order(order));
        let (other, mut other_calls) = puppet(on("stripe", &["*"]).name("other").order(order));
        let gateway = start(&database, "", vec![mail, other]).await;
        post(&gateway, "pause", json!({"handler": "mail"})).await;
        let mut ids = Vec::new();
        for n in 1..=6 {
            ids.push(deliver(&gateway, n, &format!("in_{}", n % 2)).await);
            other_calls.next().await.succeed();
        }
        eventually("the other's end", 6, async || unfinished(&pool).await).await;
        let asked = json!({"handler": "mail", "source": "stripe", "reason": "sent by mistake"});
        let mut dry = asked.clone();
        dry["dry_run"] = json!(true);
        let answer = post(&gateway, "jobs/cancel", dry).await;
        assert_eq!((&answer["cancelled"], unfinished(&pool).await), (&json!(6), 6), "{answer}");
        let answer = post(&gateway, "jobs/cancel", asked).await;
        assert_eq!((&answer["cancelled"], &answer["more"]), (&json!(6), &json!(false)), "{answer}");
        assert_eq!((unfinished(&pool).await, miscounted(&pool).await), (0, 0));
        assert_eq!(deaths(&pool).await, vec!["cancelled"; 6]);
        assert!(lanes(&pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0)));
        let text = "select count(*) from hookgate.attempts a join hookgate.dead d using (delivery, event, subscription, run, attempt)
                     where a.outcome = 'cancelled' and a.error = 'cancelled by local: sent by mistake' and a.error = d.error";
        assert_eq!(number(&pool, text).await, 6);
        assert_eq!(audited(&pool, "jobs.cancel", "jobs").await, 1);

        // The sender's next try does not undo what an operator did; an operator does.
        post(&gateway, "resume", json!({"handler": "mail"})).await;
        let again = Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        assert_eq!((again.status, again.outcome(), unfinished(&pool).await), (202, "duplicate", 0));
        let answer = post(&gateway, &format!("deliveries/{}/replay", ids[0]), json!({})).await;
        assert_eq!(answer["redriven"], json!(["mail"]), "{answer}");
        let call = calls.next().await;
        assert_eq!((call.attempt, call.object.as_str()), (2, "in_1"));
        call.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        assert_eq!((deaths(&pool).await.len(), miscounted(&pool).await), (5, 0));
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn one_job_of_a_crowded_lane_ends_and_the_others_go_on_in_order() {
    let (database, pool) = database_with_effects().await;
    let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail").order(Order::Lane));
    let gateway = start(&database, "", vec![mail]).await;
    let mut ids = Vec::new();
    post(&gateway, "pause", json!({"all": true})).await;
    for n in 1..=4 {
        ids.push(deliver(&gateway, n, "in_1").await);
    }
    post(&gateway, "resume", json!({"all": true})).await;
    // It runs, and what comes next is in the same claim.
    let running = calls.next().await;
    let answer =
        post(&gateway, "jobs/cancel", json!({"delivery": ids[1], "handler": "mail", "event": 0, "run": 0})).await;
    assert_eq!((&answer["cancelled"], &answer["running"]), (&json!(1), &json!(0)), "{answer}");
    let answer = post(&gateway, "jobs/cancel", json!({"delivery": ids[0]})).await;
    assert_eq!((&answer["cancelled"], &answer["running"]), (&json!(0), &json!(1)), "{answer}");
    running.succeed();
    for id in [&ids[2], &ids[3]] {
        let call = calls.next().await;
        assert_eq!(&call.delivery.to_string(), id);
        call.succeed();
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    assert_eq!((deaths(&pool).await, miscounted(&pool).await), (vec!["cancelled".to_owned()], 0));
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order").await, 0);
    gateway.shutdown().await;
}

#[tokio::test]
async fn the_result_of_a_running_job_that_is_cancelled_is_refused_with_its_effects() {
    for order in ORDERS {
        let (database, pool) = database_with_effects().await;
        let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail").order(order));
        let gateway = start(&database, "", vec![mail]).await;
        let id = deliver(&gateway, 1, "in_1").await;
        let running = calls.next().await;
        running.book().await;
        deliver(&gateway, 2, "in_1").await;
        if order == Order::None {
            calls.next().await.succeed();
            eventually("the other's end", 1, async || unfinished(&pool).await).await;
        }
        let answer = post(&gateway, "jobs/cancel", json!({"delivery": id, "running": true})).await;
        assert_eq!((&answer["cancelled"], &answer["running"]), (&json!(1), &json!(0)), "{answer}");
        assert_eq!((deaths(&pool).await, miscounted(&pool).await), (vec!["cancelled".to_owned()], 0));
        if order == Order::Lane {
            // The lane is free while the run still goes on.
            calls.next().await.succeed();
        }
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        running.succeed();
        eventually("its transaction is over", 0, async || {
            let sql = "select count(*) from pg_stat_activity
                        where datname = current_database() and state like 'idle in transaction%'";
            number(&pool, sql).await
        })
        .await;
        assert_eq!((effects(&pool, "in_1").await, miscounted(&pool).await), (0, 0));
        let of_it =
            format!("select count(*) from hookgate.attempts where delivery = '{id}' and outcome <> 'cancelled'");
        assert_eq!(number(&pool, &of_it).await, 0);
        // Brought back, it runs under a number of its own.
        post(&gateway, &format!("deliveries/{id}/replay"), json!({})).await;
        let again = calls.next().await;
        assert_eq!(again.attempt, 2);
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_failing_head_that_is_cancelled_frees_its_lane_at_once() {
    let (database, pool) = database_with_effects().await;
    let (mail, mut calls) = puppet(on("stripe", &["*"]).name("mail").order(Order::Lane));
    let gateway = start(&database, "", vec![mail]).await;
    let id = deliver(&gateway, 1, "in_1").await;
    let later = hookgate::HandlerError::because("later").retry_after(std::time::Duration::from_secs(600));
    calls.next().await.end(later);
    eventually("it waits", 1, async || {
        number(&pool, "select count(*) from hookgate.jobs where state = 'waiting'").await
    })
    .await;
    let next = deliver(&gateway, 2, "in_1").await;
    post(&gateway, "jobs/cancel", json!({"delivery": id})).await;
    let call = calls.next().await;
    assert_eq!(call.delivery.to_string(), next);
    call.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    assert_eq!(attempts(&pool).await.len(), 3, "failed, cancelled, and the next one's ok");
    let of_it = format!("select count(*) from hookgate.attempts where delivery = '{id}'");
    assert_eq!(number(&pool, &of_it).await, 2);
    gateway.shutdown().await;
}

#[tokio::test]
async fn unfinished_jobs_are_found_by_what_is_known_of_them_page_by_page() {
    let (database, pool) = database_with_effects().await;
    let (mail, _calls) = puppet(on("stripe", &["*"]).name("mail").order(Order::Lane));
    let (loose, _loose_calls) = puppet(on("stripe", &["*"]).name("loose"));
    let gateway = start(&database, "", vec![mail, loose]).await;
    post(&gateway, "pause", json!({"all": true})).await;
    for n in 1..=5 {
        deliver(&gateway, n, &format!("in_{}", n % 2)).await;
    }
    let count = async |query: &str| get(&gateway, &format!("jobs?{query}")).await["items"].as_array().unwrap().len();
    execute(
        &pool,
        "update hookgate.jobs set state = 'waiting', due = now() + interval '1 hour'
          where ctid = (select ctid from hookgate.jobs where lane is null limit 1)",
    )
    .await;
    assert_eq!(count("").await, 10);
    assert_eq!(count("handler=mail").await, 5);
    assert_eq!(count("handler=mail&lane=in_1").await, 3);
    assert_eq!(count("lane=in_0").await, 2);
    assert_eq!(count("source=github").await, 0);
    assert_eq!((count("state=waiting").await, count("due=later").await, count("due=now").await), (1, 1, 9));
    let (mut seen, mut next) = (Vec::new(), String::new());
    loop {
        let page = get(&gateway, &format!("jobs?handler=loose&limit=2&cursor={next}")).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|job| job["delivery"].to_string()));
        assert!(page["items"].as_array().unwrap().iter().all(|job| job["paused"] == true), "{page}");
        match page["next"].as_str() {
            Some(cursor) => next = cursor.to_owned(),
            None => break,
        }
    }
    let mut sorted = seen.clone();
    sorted.sort();
    sorted.dedup();
    sorted.reverse();
    assert_eq!((seen.len(), &seen), (5, &sorted), "newest first, each once");
    for (query, said) in [("state=dead", "state must be one of"), ("due=soon", "due must be"), ("lane", "")] {
        let (status, answer) = ask(&gateway, "GET", &format!("jobs?{query}"), json!(null)).await;
        assert_eq!(status == 200, said.is_empty(), "{query} {answer}");
    }
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_cancel_of_thousands_is_told_when_there_is_more_and_keeps_every_lane_right() {
    let (database, pool) = database_with_effects().await;
    let (mail, _calls) = puppet(on("stripe", &["*"]).name("mail").order(Order::Lane));
    let gateway = start(&database, "", vec![mail]).await;
    post(&gateway, "pause", json!({"all": true})).await;
    deliver(&gateway, 1, "in_1").await;
    // The same delivery's replays: 21,000 jobs in the lanes of 1,000 keys.
    execute(
        &pool,
        "insert into hookgate.lanes (lane, subscription, label, state, class, pending, next_seq, due)
         select decode(md5(k::text), 'hex'), (select id from hookgate.subscriptions limit 1), k::text, 'ready', 0, 21, 100, now()
           from generate_series(1, 1000) k",
    )
    .await;
    execute(
        &pool,
        "insert into hookgate.jobs (delivery, event, subscription, run, retention, class, lane, seq)
         select (select id from hookgate.deliveries), 0, (select subscription from hookgate.lanes limit 1), n, 'standard', 0,
                decode(md5((n % 1000 + 1)::text), 'hex'), n from generate_series(1, 21000) n",
    )
    .await;
    let mut cancelled = 0;
    let mut calls = 0;
    loop {
        let answer = post(&gateway, "jobs/cancel", json!({"handler": "mail"})).await;
        cancelled += answer["cancelled"].as_i64().unwrap();
        calls += 1;
        assert_eq!(miscounted(&pool).await, 0);
        if answer["more"] != true {
            break;
        }
    }
    assert_eq!((cancelled, calls, unfinished(&pool).await), (21_001, 2, 0));
    assert_eq!(number(&pool, "select count(*) from hookgate.dead where reason = 'cancelled'").await, 21_001);
    gateway.shutdown().await;
}
