//! A destination that fails is left alone by all gateways, and tried by one job at a time.

use hookgate::Running;
use sqlx::PgPool;

use super::moody::Moody;
use crate::support::destination::Destination;
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{database_with_effects, execute, jobs, let_time_pass, number, unfinished};

/// Three failures open it; how long for, the test decides.
const BREAKER: &str = "breaker = { failures = 3, within = '1h', open_for = '1h', longest = '10h' }\n";

pub(super) async fn state(pool: &PgPool) -> String {
    sqlx::query_scalar("select coalesce(max(state), 'none') from hookgate.breakers")
        .fetch_one(pool)
        .await
        .expect("read")
}

/// Its time is over.
pub(super) async fn let_it_be_tried(pool: &PgPool) {
    execute(pool, "update hookgate.breakers set open_until = now() where state <> 'closed'").await;
}

async fn send(gateway: &Running, n: std::ops::Range<usize>, key: &str) {
    for n in n {
        let answer =
            Signed::stripe_event(&format!("evt_{key}_{n}"), "a.b", key).send(gateway.ingest_addr().unwrap()).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
    }
}

/// Attempts that reached this handler's end.
async fn ended(pool: &PgPool, handler: &str, outcome: &str) -> i64 {
    let sql = format!(
        "select count(*) from hookgate.attempts a join hookgate.subscriptions u on u.id = a.subscription
           join hookgate.handlers h on h.id = u.handler where h.name = '{handler}' and a.outcome like '{outcome}'"
    );
    number(pool, &sql).await
}

/// A forward beside the broken one: what reaches it has made the worker look at both.
fn healthy(other: &Destination) -> String {
    format!("[[forward]]\nname = 'healthy'\nfrom = 'stripe'\nto = '{}'\nsign = 'none'\n", other.url())
}

#[tokio::test]
async fn while_it_is_open_no_attempt_is_burned_and_one_success_closes_it() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(500).await;
    let mut other = Destination::answering(&[]).await;
    let toml = format!("{BREAKER}{}{}", moody.forward("app", "concurrency = 1"), healthy(&other));
    let gateway = start(&database, &toml, vec![]).await;
    send(&gateway, 0..5, "in_1").await;
    eventually("it opens", "open".to_owned(), async || state(&pool).await).await;
    assert_eq!(moody.arrived(), 3);
    for _ in 0..5 {
        other.next().await;
    }
    let_time_pass(&pool).await;
    send(&gateway, 5..7, "in_1").await;
    other.next().await;
    other.next().await;
    eventually("the healthy one's are done", 7, async || ended(&pool, "healthy", "ok").await).await;
    assert_eq!((moody.arrived(), ended(&pool, "app", "%").await), (3, 3), "an attempt was burned");
    let failures: i32 = jobs(&pool).await.iter().map(|job| job.failures).sum();
    assert_eq!(failures, 3);

    moody.answer(204);
    let_it_be_tried(&pool).await;
    eventually("all are done", 0, async || unfinished(&pool).await).await;
    assert_eq!((state(&pool).await, moody.arrived(), ended(&pool, "app", "ok").await), ("closed".to_owned(), 10, 7));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_try_that_fails_opens_it_again_for_longer() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(500).await;
    let gateway = start(&database, &format!("{BREAKER}{}", moody.forward("app", "concurrency = 1")), vec![]).await;
    send(&gateway, 0..1, "in_1").await;
    eventually("it opens", "open".to_owned(), async || state(&pool).await).await;
    let hours = "select round(extract(epoch from open_until - opened_at) / 3600)::bigint from hookgate.breakers";
    assert_eq!(number(&pool, hours).await, 1);
    let_it_be_tried(&pool).await;
    eventually("longer", 2, async || number(&pool, hours).await).await;
    assert_eq!((state(&pool).await, moody.arrived()), ("open".to_owned(), 4));
    gateway.shutdown().await;
}

#[tokio::test]
async fn what_an_event_is_to_blame_for_opens_nothing() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(400).await;
    let gateway = start(&database, &format!("{BREAKER}{}", moody.forward("app", "")), vec![]).await;
    send(&gateway, 0..2, "in_1").await;
    eventually("more failures than would open it", true, async || ended(&pool, "app", "failed").await > 6).await;
    assert_eq!(state(&pool).await, "none");
    moody.answer(204);
    eventually("all are done", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_503_that_says_when_to_come_back_opens_it_at_once() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(503).await;
    moody.retry_after(7_200);
    let gateway = start(&database, &format!("{BREAKER}{}", moody.forward("app", "")), vec![]).await;
    send(&gateway, 0..1, "in_1").await;
    eventually("it opens", "open".to_owned(), async || state(&pool).await).await;
    let hours = "select round(extract(epoch from open_until - opened_at) / 3600)::bigint from hookgate.breakers";
    assert_eq!((moody.arrived(), number(&pool, hours).await), (1, 2));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_forward_may_do_without() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(500).await;
    let gateway = start(&database, &format!("{BREAKER}{}", moody.forward("app", "breaker = false")), vec![]).await;
    send(&gateway, 0..1, "in_1").await;
    eventually("more failures than would open it", true, async || ended(&pool, "app", "failed").await > 6).await;
    assert_eq!(state(&pool).await, "none");
    gateway.shutdown().await;
}

#[tokio::test]
async fn of_two_gateways_and_two_forwards_one_job_tries_it() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(500).await;
    let mut other = Destination::answering(&[]).await;
    // Both go to the same host and port, so they fail together.
    let toml = format!("{BREAKER}{}{}{}", moody.forward("app", ""), moody.forward("bpp", ""), healthy(&other));
    let first = start(&database, &toml, vec![]).await;
    let second = start(&database, &toml, vec![]).await;
    send(&first, 0..6, "in_1").await;
    eventually("it opens", "open".to_owned(), async || state(&pool).await).await;
    let in_flight = "select count(*) from hookgate.jobs j join hookgate.subscriptions u on u.id = j.subscription
                       join hookgate.handlers h on h.id = u.handler where j.state = 'running' and h.name <> 'healthy'";
    eventually("what began before is over", 0, async || number(&pool, in_flight).await).await;

    moody.answer(0);
    let before = moody.arrived();
    let_time_pass(&pool).await;
    let_it_be_tried(&pool).await;
    eventually("one tries", before + 1, async || moody.arrived()).await;
    assert_eq!(state(&pool).await, "half_open");
    // Both gateways look again, and again.
    execute(&pool, "create table looked as select clock_timestamp() as at").await;
    for n in 6..200 {
        send(&second, n..n + 1, "in_1").await;
        other.next().await;
        let workers = "select count(distinct a.worker) from hookgate.attempts a join looked on a.started_at > looked.at
                        where a.outcome = 'ok'";
        if number(&pool, workers).await == 2 {
            break;
        }
        assert!(n < 199, "one gateway does all the work");
    }
    assert_eq!((moody.arrived(), number(&pool, in_flight).await), (before + 1, 1), "a second job tries it");

    moody.answer(204);
    eventually("all are done", 0, async || unfinished(&pool).await).await;
    assert_eq!(state(&pool).await, "closed");
    first.shutdown().await;
    second.shutdown().await;
}

#[tokio::test]
async fn a_try_whose_worker_crashed_is_made_by_another() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(204).await;
    let mut other = Destination::answering(&[]).await;
    let toml = format!("{BREAKER}{}{}", moody.forward("app", ""), healthy(&other));
    let name = moody.origin();
    execute(
        &pool,
        &format!(
            "insert into hookgate.breakers
                    (name, state, openings, opened_at, open_until, probe_worker, probe_claim, probe_until)
             values ('{name}', 'half_open', 1, now() - interval '2 hours', now() - interval '1 hour', gen_random_uuid(), 7,
                     now() + interval '1 hour')"
        ),
    )
    .await;
    let gateway = start(&database, &toml, vec![]).await;
    send(&gateway, 0..2, "in_1").await;
    other.next().await;
    other.next().await;
    eventually("the healthy one's are done", 2, async || ended(&pool, "healthy", "ok").await).await;
    assert_eq!((moody.arrived(), state(&pool).await), (0, "half_open".to_owned()), "it is another one's to try");
    execute(&pool, "update hookgate.breakers set probe_until = now()").await;
    eventually("all are done", 0, async || unfinished(&pool).await).await;
    assert_eq!((moody.arrived(), state(&pool).await), (2, "closed".to_owned()));
    gateway.shutdown().await;
}

#[tokio::test]
async fn what_waits_for_its_destination_keeps_its_order_and_blocks_nothing_by_that() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(500).await;
    let lane = moody.forward("app", "order = 'lane'\nblock_for = '15m'");
    let gateway = start(&database, &format!("{}{lane}", BREAKER.replace("failures = 3", "failures = 1")), vec![]).await;
    send(&gateway, 0..4, "in_1").await;
    eventually("it opens", "open".to_owned(), async || state(&pool).await).await;
    eventually("all wait", 4, async || {
        number(&pool, "select count(*) from hookgate.jobs where state <> 'running'").await
    })
    .await;
    // Left alone for an hour, and then its head fails once more.
    execute(
        &pool,
        "update hookgate.jobs set failing_since = now() - interval '1 hour' where failing_since is not null",
    )
    .await;
    let_time_pass(&pool).await;
    let_it_be_tried(&pool).await;
    eventually("the try failed", 2, async || ended(&pool, "app", "failed").await).await;
    assert!(jobs(&pool).await.iter().all(|job| job.in_lane), "{:?}", jobs(&pool).await);

    moody.answer(204);
    let_time_pass(&pool).await;
    let_it_be_tried(&pool).await;
    eventually("all are done", 0, async || unfinished(&pool).await).await;
    let order: Vec<String> = moody
        .accepted()
        .await
        .iter()
        .map(|body| {
            let event: serde_json::Value = serde_json::from_str(body).expect("JSON");
            event["id"].as_str().expect("an id").to_owned()
        })
        .collect();
    assert_eq!(order, ["evt_in_1_0", "evt_in_1_1", "evt_in_1_2", "evt_in_1_3"]);
    assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order").await, 0);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_success_after_failures_is_written_once_and_starts_the_count_afresh() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(500).await;
    let forward = moody.forward("app", "").replace("'1ms'", "'1h'");
    let gateway = start(&database, &format!("{BREAKER}{forward}"), vec![]).await;
    let failures = "select coalesce(max(failures), -1)::bigint from hookgate.breakers";
    send(&gateway, 0..2, "in_1").await;
    eventually("two failures", 2, async || number(&pool, failures).await).await;
    moody.answer(204);
    send(&gateway, 2..3, "in_1").await;
    eventually("none in a row", 0, async || number(&pool, failures).await).await;
    let version = "select xmin::text::bigint from hookgate.breakers";
    let written = number(&pool, version).await;
    send(&gateway, 3..8, "in_1").await;
    eventually("they are done", 6, async || ended(&pool, "app", "ok").await).await;
    assert_eq!(number(&pool, version).await, written, "a success wrote again");
    assert_eq!(ended(&pool, "app", "failed").await, 2);
    gateway.shutdown().await;
}
