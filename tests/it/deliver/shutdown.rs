//! A stop in order: what runs ends, what has not started is given back untouched, what does not end is cut off and given back.

use std::time::Duration;

use hookgate::{Order, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, config, start, start_with};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, effects, job, jobs, lanes, tried, unfinished, workers};

#[tokio::test]
async fn of_ten_claimed_jobs_the_running_one_ends_and_nine_go_back_untouched() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("lane").order(Order::Lane));
    // Recorded before anyone can claim, so that one claim takes them all.
    let other = start(&database, "", vec![handler.clone()]).await;
    let first = {
        Signed::stripe_event("evt_0", "a.b", "hot").send(other.ingest_addr().unwrap()).await;
        calls.next().await
    };
    for n in 1..=10 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", "hot").send(other.ingest_addr().unwrap()).await;
    }
    first.succeed();
    let running = calls.next().await;
    let stopping = tokio::spawn(other.shutdown());
    // Ingest ends first, then the worker; the running one is waited for.
    running.book().await;
    running.succeed();
    stopping.await.expect("no panic");

    assert_eq!(effects(&pool, "hot").await, 1);
    let left = jobs(&pool).await;
    assert_eq!(left.len(), 9);
    assert!(left.iter().all(|job| (job.state.as_str(), job.attempt, job.failures, job.rescues) == ("ready", 0, 0, 0)));
    assert_eq!(lanes(&pool).await, [("hot".to_owned(), "ready".to_owned(), 9)]);
    assert_eq!(workers(&pool).await, 0);
    assert!(!calls.has_more());

    let next = start(&database, "", vec![handler]).await;
    for _ in 0..9 {
        calls.next().await.succeed();
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    next.shutdown().await;
}

#[tokio::test]
async fn what_does_not_end_within_the_grace_is_cut_off_rolled_back_and_ready_at_once_however_often() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("endless").order(order));
        // More often than a job may take its worker down with it before it counts as poison.
        for restart in 1..=4 {
            let config = config(&database, "");
            let grace = Duration::from_millis(100);
            let server = hookgate::config::Server { shutdown_grace: grace, ..config.server.clone() };
            let stopping = start_with(hookgate::config::Config { server, ..config }, vec![handler.clone()]).await;
            if restart == 1 {
                Signed::stripe_event("evt_1", "a.b", "hot").send(stopping.ingest_addr().unwrap()).await;
            }
            let endless = calls.next().await;
            endless.book().await;
            tokio::time::timeout(Duration::from_secs(10), stopping.shutdown())
                .await
                .expect("its end, though a handler runs");
            assert_eq!((effects(&pool, "hot").await, workers(&pool).await), (0, 0));
            let left = job(&pool).await;
            assert_eq!((left.state.as_str(), left.attempt, left.failures, left.rescues), ("ready", restart, 0, 0));
        }
        let next = start(&database, "", vec![handler]).await;
        let again = calls.next().await;
        assert_eq!(again.attempt, 5);
        again.book().await;
        again.succeed();
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        let expected = tried(&["lost", "lost", "lost", "lost", "ok"]);
        assert_eq!((effects(&pool, "hot").await, attempts(&pool).await), (1, expected));
        next.shutdown().await;
    }
}
