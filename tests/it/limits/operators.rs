//! An operator's word on a breaker, and what the configuration refuses.

use std::collections::BTreeMap;

use hookgate::Running;
use hookgate::config::{Config, Mode};
use serde_json::{Value, json};

use super::breakers::state;
use super::moody::Moody;
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, start};
use crate::support::work::{database_with_effects, number, unfinished};

async fn ask(gateway: &Running, path: &str, body: Option<Value>) -> (u16, Value) {
    let url = format!("http://{}/api/v1/breakers{path}", gateway.operator_addr().unwrap());
    let request = match body {
        Some(body) => client().post(url).json(&body),
        None => client().get(url),
    };
    let response = request.send().await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

#[tokio::test]
async fn a_breaker_is_opened_and_closed_by_hand_and_both_are_audited() {
    let (database, pool) = database_with_effects().await;
    let moody = Moody::answering(204).await;
    let gateway = start(&database, &moody.forward("app", ""), vec![]).await;
    let name = moody.origin();
    assert_eq!(ask(&gateway, "", None).await.1["items"], json!([]));
    let (status, opened) = ask(&gateway, "/open", Some(json!({ "name": name, "for": "1h" }))).await;
    assert_eq!((status, &opened["state"]), (200, &json!("open")), "{opened}");
    // The worker hears of it within a second; what it claims before that is claimed rightly.
    let known = "select count(*) from hookgate.workers, hookgate.breakers where heartbeat_at > opened_at + interval '2 seconds'";
    eventually("it has heard", 1, async || number(&pool, known).await).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(unfinished(&pool).await, 1);
    let items = ask(&gateway, "", None).await.1["items"].take();
    assert_eq!(
        (&items[0]["name"], &items[0]["state"], &items[0]["failures"]),
        (&json!(name), &json!("open"), &json!(0))
    );
    assert_eq!(moody.arrived(), 0);

    let (status, closed) = ask(&gateway, "/close", Some(json!({ "name": name }))).await;
    assert_eq!((status, &closed["state"]), (200, &json!("closed")), "{closed}");
    eventually("it is done", 0, async || unfinished(&pool).await).await;
    assert_eq!((moody.arrived(), state(&pool).await), (1, "closed".to_owned()));
    let audited: Vec<(String, String)> =
        sqlx::query_as("select action, object from hookgate.audit order by id").fetch_all(&pool).await.expect("read");
    assert_eq!(audited, [("breaker.open".to_owned(), name.clone()), ("breaker.close".to_owned(), name)]);

    let (status, problem) = ask(&gateway, "/close", Some(json!({ "name": "nobody" }))).await;
    assert_eq!(status, 404, "{problem}");
    let (status, problem) = ask(&gateway, "/open", Some(json!({ "name": "ledger", "for": "0s" }))).await;
    assert_eq!(status, 400, "{problem}");
    gateway.shutdown().await;
}

#[test]
fn what_would_let_nothing_through_is_refused_by_name() {
    let forward = "[source.s]\nprovider = 'stripe'\nsecrets = [{ literal = 'whsec_x' }]\n[[forward]]\nname = 'app'\nfrom = 's'\n\
                   to = 'http://127.0.0.1:9'\nsign = 'none'\n";
    let refused = [
        (format!("{forward}rate = '0/s'\n"), "forward.app.rate"),
        (format!("{forward}rate = '5/s'\nburst = 0\n"), "forward.app.burst"),
        (format!("{forward}burst = 5\n"), "forward.app.rate"),
        (format!("{forward}rate = '5 a day'\n"), "as in \"100/s\""),
        ("handler_defaults.rate = '0/m'\n".to_owned(), "handler_defaults.rate"),
        (forward.replace("secrets", "weight = 0\nsecrets"), "source.s.weight"),
        (forward.replace("secrets", "weight = 101\nsecrets"), "source.s.weight"),
        ("worker.shares.retry = 0\n".to_owned(), "worker.shares.retry"),
        ("worker.shares = { live = 0 }\n".to_owned(), "worker.shares.live"),
        ("breaker.failures = 0\n".to_owned(), "breaker.failures"),
        ("breaker.open_for = '0s'\n".to_owned(), "breaker.open_for"),
        ("breaker.open_for = '1h'\n".to_owned(), "breaker.longest"),
    ];
    for (toml, named) in refused {
        let config = Config::from_toml(&toml, &BTreeMap::new(), Mode::Dev);
        let refusal = config.and_then(|config| config.refuse_contradictions().map(|_| ()));
        let refusal = refusal.expect_err(&toml).to_string();
        assert!(refusal.contains(named), "{named} is not named: {refusal}");
    }
}
