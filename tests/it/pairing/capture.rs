//! From the handshake to the first delivery.

use crate::support::eventually::eventually;
use crate::support::postgres::database;
use crate::support::rows::{count, every_count};
use crate::support::work::number;

use super::{KEY, OFFERED, current, gateway, ingest, last_refusal, open, operate, pairable, see};
use serde_json::json;

#[tokio::test]
async fn without_a_window_it_is_refused_like_anything_else_and_leaves_no_row() {
    for case in pairable() {
        let database = database().await;
        let pool = database.pool().await;
        let gateway = gateway(&database, case).await;
        let before = every_count(&pool).await;
        let answer = case.offer(ingest(&gateway), OFFERED).await;
        let forged = case.deliver(ingest(&gateway), OFFERED).await;
        assert_eq!((answer.status, answer.text.as_str()), (401, forged.text.as_str()), "{case:?}");
        assert!(!answer.headers.contains_key("x-hook-secret"));
        assert_eq!(every_count(&pool).await, before, "{case:?}");
        assert_eq!(forged.status, 401);
        let refusals = see(&gateway, "refusals").await.to_string();
        assert!(refusals.contains("pairing_closed") && !refusals.contains(OFFERED), "{refusals}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn in_a_window_it_is_answered_exactly_and_what_follows_is_verified_with_it_in_every_gateway_and_after_a_restart()
{
    for case in pairable() {
        let database = database().await;
        let pool = database.pool().await;
        let (one, other) = (gateway(&database, case).await, gateway(&database, case).await);
        open(&one).await;
        let answer = case.offer(ingest(&one), OFFERED).await;
        assert!(case.is_answered(&answer, OFFERED), "{case:?}: {answer:?}");

        let here = case.deliver(ingest(&one), OFFERED).await;
        assert!((200..300).contains(&here.status), "{case:?}: at once where it was taken: {}", here.text);
        eventually("it is live in the other gateway", true, async || {
            (200..300).contains(&case.deliver(ingest(&other), OFFERED).await.status)
        })
        .await;
        assert_eq!(number(&pool, "select min(secret)::bigint from hookgate.deliveries").await, 100);
        assert_eq!(count(&pool, "audit where action = 'source.paired' and object = 'paired'").await, 1);
        one.shutdown().await;
        other.shutdown().await;

        let restarted = gateway(&database, case).await;
        assert!((200..300).contains(&case.deliver(ingest(&restarted), OFFERED).await.status), "{case:?}");
        assert_eq!(case.deliver(ingest(&restarted), "another-secret").await.status, 401);
        restarted.shutdown().await;
    }
}

#[tokio::test]
async fn a_window_takes_one_secret_and_answers_its_repetition() {
    for case in pairable() {
        let database = database().await;
        let pool = database.pool().await;
        let gateway = gateway(&database, case).await;
        let to = ingest(&gateway);
        open(&gateway).await;
        assert!(case.is_answered(&case.offer(to, OFFERED).await, OFFERED));
        assert!(case.is_answered(&case.offer(to, OFFERED).await, OFFERED), "the provider did not hear the answer");
        assert_eq!(case.offer(to, "somebody-elses").await.status, 401);
        assert_eq!(last_refusal(&gateway).await, "pairing_used");
        assert_eq!(count(&pool, "paired_secrets").await, 1);
        assert_eq!(case.deliver(to, "somebody-elses").await.status, 401);

        open(&gateway).await;
        assert!(case.is_answered(&case.offer(to, "the-second").await, "the-second"));
        for secret in [OFFERED, "the-second"] {
            assert!((200..300).contains(&case.deliver(to, secret).await.status), "{case:?}: both are live");
        }
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn of_many_at_once_one_is_taken() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let (one, other) = (gateway(&database, case).await, gateway(&database, case).await);
    open(&one).await;
    let offers = (0..8).map(|n| {
        let to = ingest(if n % 2 == 0 { &one } else { &other });
        async move { case.offer(to, &format!("offer-{n}")).await.status }
    });
    let mut statuses = futures_util::future::join_all(offers).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401, 401, 401, 401, 401, 401]);
    assert_eq!(count(&pool, "paired_secrets").await, 1);
    one.shutdown().await;
    other.shutdown().await;
}

#[tokio::test]
async fn a_forgotten_one_is_wiped_and_refused_soon_and_its_number_is_not_given_out_again() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let gateway = gateway(&database, case).await;
    let to = ingest(&gateway);
    open(&gateway).await;
    case.offer(to, OFFERED).await;
    let (status, done) = operate(&gateway, "sources/paired/forget", json!({ "secret": 100 })).await;
    assert_eq!((status, done["secret"].as_i64()), (200, Some(100)));
    assert_eq!(count(&pool, "paired_secrets where sealed is not null").await, 0);
    eventually("it is refused", 401, async || case.deliver(to, OFFERED).await.status).await;
    let (again, _) = operate(&gateway, "sources/paired/forget", json!({ "secret": 100 })).await;
    assert_eq!(again, 404);

    open(&gateway).await;
    case.offer(to, OFFERED).await;
    let shown = see(&gateway, "sources/paired").await;
    let numbers: Vec<_> = shown["secrets"].as_array().unwrap().iter().map(|s| s["number"].clone()).collect();
    assert_eq!(numbers, [101, 100], "{shown}");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_secret_of_the_configuration_stays_live_beside_it() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let own = case.source(&current(KEY)).replace("secrets = []", "secrets = [{ literal = \"configured\" }]");
    let gateway = crate::support::gateway::start(&database, &own, vec![]).await;
    let to = ingest(&gateway);
    open(&gateway).await;
    case.offer(to, OFFERED).await;
    assert_eq!(case.deliver(to, "configured").await.status, 200);
    assert_eq!(case.deliver(to, OFFERED).await.status, 200);
    let named: Vec<i16> =
        sqlx::query_scalar("select secret from hookgate.deliveries order by secret").fetch_all(&pool).await.unwrap();
    assert_eq!(named, [0, 100]);
    gateway.shutdown().await;
}
