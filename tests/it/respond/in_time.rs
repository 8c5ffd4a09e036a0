//! Within the deadline the handler's answer, else the fallback; recorded before it is relayed.

use hookgate::{Gateway, HandlerError, Order, on};

use super::{FALLBACK, LONG, request, responder, source, told};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, config, start};
use crate::support::puppet::puppet;
use crate::support::rows::count;
use crate::support::witness::witness;
use crate::support::work::{attempts, database_with_effects, effects, let_time_pass, tried, unfinished};

#[tokio::test]
async fn an_answer_in_time_is_relayed_and_was_recorded_with_the_jobs_effects() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("one"));
    let gateway = start(&database, &source(LONG), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    call.respond(201, "text/plain", "overruled");
    call.respond(200, "application/json; charset=utf-8", r#"{"type":4}"#);
    call.book().await;
    assert_eq!(count(&pool, "deliveries").await, 1, "the request is recorded before its handler runs");
    assert!(!sent.is_finished());
    call.succeed();
    let answer = sent.await.unwrap();
    // Whoever hears the answer finds it recorded.
    assert_eq!((effects(&pool, "in_1").await, count(&pool, "answers").await), (1, 1));
    assert_eq!(told(&answer), (200, r#"{"type":4}"#));
    assert_eq!(answer.headers["content-type"], "application/json; charset=utf-8");
    let id = answer.headers["hookgate-delivery-id"].to_str().unwrap();
    let ask = async |path: String| {
        let url = format!("http://{}/api/v1/{path}", gateway.operator_addr().unwrap());
        client().get(url).send().await.expect("an answer").json::<serde_json::Value>().await.expect("JSON")
    };
    let shown = ask(format!("deliveries/{id}")).await;
    let (status, size) = (&shown["answers"][0]["status"], &shown["answers"][0]["body_size"]);
    assert_eq!((status, size), (&200.into(), &10.into()), "{shown}");
    assert_eq!(ask("handlers".to_owned()).await["items"][0]["respond"], true);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_handler_that_misses_the_deadline_goes_on_and_the_sender_is_told_the_fallback() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("late"));
    let gateway = start(&database, &source("300ms"), vec![handler]).await;
    let answer = request("evt_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(told(&answer), FALLBACK);
    let call = calls.next().await;
    call.respond(200, "text/plain", "too late");
    call.book().await;
    call.succeed();
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    assert_eq!((effects(&pool, "in_1").await, count(&pool, "answers").await), (1, 1));
    gateway.shutdown().await;
}

/// Nobody waits for a retry that comes after the deadline.
#[tokio::test]
async fn a_handler_that_fails_ends_the_wait_and_is_retried_as_usual() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("failing"));
    let gateway = start(&database, &source(LONG), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    call.respond(200, "text/plain", "of a failed attempt");
    call.end(HandlerError::because("not now").retry_after(std::time::Duration::from_secs(600)));
    assert_eq!(told(&sent.await.unwrap()), FALLBACK);
    assert_eq!(count(&pool, "answers").await, 0, "what a failed attempt said is not recorded");
    let_time_pass(&pool).await;
    let retry = calls.next().await;
    retry.respond(200, "text/plain", "at last");
    retry.succeed();
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    assert_eq!(attempts(&pool).await, tried(&["failed", "ok"]));
    assert_eq!(told(&request("evt_1").send(to).await), (200, "at last"));
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_handler_that_ends_well_without_an_answer_or_dies_ends_the_wait_too() {
    let (database, _) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("silent"));
    let gateway = start(&database, &source(LONG), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    calls.next().await.succeed();
    assert_eq!(told(&sent.await.unwrap()), FALLBACK);
    let sent = tokio::spawn(async move { request("evt_2").send(to).await });
    let call = calls.next().await;
    // An answer that can't be one is the handler's mistake.
    call.respond(302, "text/plain", "elsewhere");
    call.succeed();
    assert_eq!(told(&sent.await.unwrap()), FALLBACK);
    gateway.shutdown().await;
}

/// Waiting requests hold nothing that recording needs: neither a writer nor the memory of their bodies.
#[tokio::test]
async fn those_who_wait_hold_nobody_up() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("slow").concurrency(50));
    // Room for one body at a time.
    let tight = "[server]\nmax_body = '8kB'\nbytes_in_flight = '8kB'\n";
    let more = format!("{tight}{}", source(LONG));
    let mut config = config_of(&database, &more);
    config.recorder.writers = 1;
    config.database.ingest_connections = 3;
    let gateway = Gateway::builder().config(config).handler(handler).start().await.expect("start");
    let to = gateway.ingest_addr().unwrap();
    let padded = |n: usize| {
        let body = format!(
            r#"{{"id":"evt_{n}","type":"a.b","data":{{"object":{{"id":"in_{n}"}}}},"pad":"{}"}}"#,
            "x".repeat(6_000)
        );
        Signed::stripe(body).to("asks")
    };
    let mut waiting = Vec::new();
    let mut running = Vec::new();
    for n in 0..20 {
        waiting.push(tokio::spawn(async move { padded(n).send(to).await }));
        running.push(calls.next().await);
    }
    let other = Signed::stripe_event("evt_1", "a.b", "in_1").send(to).await;
    assert_eq!((other.status, other.outcome()), (202, "unhandled"));
    for call in running {
        call.respond(200, "text/plain", "done");
        call.succeed();
    }
    for sent in waiting {
        assert_eq!(told(&sent.await.unwrap()), (200, "done"));
    }
    eventually("all is done", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

/// The settings of `more` in place of those that every test has.
fn config_of(database: &crate::support::postgres::TestDatabase, more: &str) -> hookgate::config::Config {
    let (server, rest) = more.split_once("[source").unwrap();
    let mut config = config(database, &format!("[source{rest}"));
    let tight = hookgate::config::Config::from_toml(server, &Default::default(), hookgate::config::Mode::Dev).unwrap();
    config.server.max_body = tight.server.max_body;
    config.server.bytes_in_flight = tight.server.bytes_in_flight;
    config
}

#[tokio::test]
async fn a_stop_answers_those_who_wait_with_the_fallback() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(responder("stopped"));
    let gateway = start(&database, &source(LONG), vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let sent = tokio::spawn(async move { request("evt_1").send(to).await });
    let call = calls.next().await;
    let stopping = tokio::spawn(gateway.shutdown());
    assert_eq!(told(&sent.await.unwrap()), FALLBACK);
    call.respond(200, "text/plain", "while it stops");
    call.succeed();
    stopping.await.unwrap();
    assert_eq!((unfinished(&pool).await, count(&pool, "answers").await), (0, 1));
}

/// Two that would answer are refused by name; one that a condition keeps from the event answers nothing.
#[tokio::test]
async fn at_most_one_handler_answers_and_only_one_that_gets_the_event() {
    let (database, _) = database_with_effects().await;
    let two = [witness(responder("first")).0, witness(on("*", &["a.*"]).name("second").respond()).0];
    let builder = Gateway::builder().config(config(&database, &source(LONG)));
    let refused = two.into_iter().fold(builder, |builder, handler| builder.handler(handler)).start().await;
    let refused = refused.expect_err("two answers").to_string();
    assert!(refused.contains("`first`") && refused.contains("`second`"), "{refused}");

    let ordered = witness(responder("ordered").order(Order::Lane)).0;
    let builder = Gateway::builder().config(config(&database, &source(LONG)));
    let refused = builder.handler(ordered).start().await.expect_err("an order").to_string();
    assert!(refused.contains("`ordered`"), "{refused}");

    let never = hookgate::Condition::header("x-never").exists();
    let gateway = start(&database, &source(LONG), vec![witness(responder("shut").when(never)).0]).await;
    assert_eq!(told(&request("evt_1").send(gateway.ingest_addr().unwrap()).await), FALLBACK);
    gateway.shutdown().await;
}
