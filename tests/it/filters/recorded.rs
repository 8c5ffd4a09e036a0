//! What a condition kept back is there to be seen, counted and replayed.

use hookgate::{Condition, Running, on};
use serde_json::{Value, json};

use crate::support::batch::{Batching, observer};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, start};
use crate::support::metric::{counter, counting};
use crate::support::postgres::database;
use crate::support::witness::witness;
use crate::support::work::unfinished;

async fn ask(gateway: &Running, path: &str) -> Value {
    let url = format!("http://{}/api/v1/{path}", gateway.operator_addr().unwrap());
    client().get(url).send().await.expect("an answer").json().await.expect("JSON")
}

async fn replay(gateway: &Running, delivery: &str, asked: Value) -> Value {
    let url = format!("http://{}/api/v1/deliveries/{delivery}/replay", gateway.operator_addr().unwrap());
    client().post(url).json(&asked).send().await.expect("an answer").json().await.expect("JSON")
}

/// Handler, event and state of each job.
fn jobs(delivery: &Value) -> Vec<(String, i64, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let jobs = delivery["jobs"].as_array().unwrap();
    jobs.iter().map(|job| (text(&job["handler"]), job["event"].as_i64().unwrap(), text(&job["state"]))).collect()
}

fn row(handler: &str, event: i64, state: &str) -> (String, i64, String) {
    (handler.to_owned(), event, state.to_owned())
}

#[tokio::test]
async fn what_was_kept_back_is_shown_counted_and_runs_when_an_operator_names_it() {
    counting();
    let database = database().await;
    let pool = database.pool().await;
    let (open, mut open_runs) = witness(on("stripe", &["*"]).name("open"));
    let never = Condition::json("/never").exists();
    let (shut, mut shut_runs) = witness(on("stripe", &["*"]).name("shut_out").when(never));
    let gateway = start(&database, "", vec![open, shut]).await;
    let answer = Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.outcome(), "accepted", "another handler takes it");
    open_runs.next().await;
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    let path = format!("deliveries/{}", answer.id());
    assert_eq!(jobs(&ask(&gateway, &path).await), [row("open", 0, "done"), row("shut_out", 0, "filtered")]);
    let handlers = ask(&gateway, "handlers").await;
    let conditions = (&handlers["items"][0]["when"], &handlers["items"][1]["when"]);
    assert_eq!(conditions, (&json!([]), &json!([{"json": "/never", "exists": true}])));
    assert_eq!(counter(r#"hookgate_filtered_total{handler="shut_out"}"#), 1);
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(counter(r#"hookgate_filtered_total{handler="shut_out"}"#), 1, "a copy is no event");

    // Whoever mends a delivery does not ask for what its condition keeps back.
    let mended = replay(&gateway, answer.id(), json!({})).await;
    assert_eq!(mended["queued"], json!([]), "{mended}");
    assert!(mended["skipped"].to_string().contains("name the handler to run it"), "{mended}");
    let named = replay(&gateway, answer.id(), json!({"handlers": ["shut_out"]})).await;
    assert_eq!(named["queued"], json!(["shut_out"]), "{named}");
    assert_eq!(shut_runs.next().await, answer.id());
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    assert_eq!(jobs(&ask(&gateway, &path).await), [row("open", 0, "done"), row("shut_out", 0, "done")]);
    let again = replay(&gateway, answer.id(), json!({"handlers": ["shut_out"]})).await;
    assert_eq!(again["queued"], json!([]), "{again}");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_delivery_that_every_handler_was_kept_from_is_in_a_state_of_its_own() {
    let database = database().await;
    let never = Condition::json("/never").exists();
    let (shut, _) = witness(on("stripe", &["a.*"]).name("shut").when(never));
    let gateway = start(&database, "", vec![shut]).await;
    let to = gateway.ingest_addr().unwrap();
    let filtered = Signed::stripe_event("evt_1", "a.b", "in_1").send(to).await;
    let unhandled = Signed::stripe_event("evt_2", "b.c", "in_1").send(to).await;
    assert_eq!((filtered.outcome(), unhandled.outcome()), ("filtered", "unhandled"));
    for answer in [filtered, unhandled] {
        let found = ask(&gateway, &format!("deliveries?state={}", answer.outcome())).await;
        let ids: Vec<_> = found["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!(ids, [answer.id()]);
    }
    gateway.shutdown().await;
}

const GOCARDLESS: Batching =
    Batching { provider: "gocardless", secret: "endpoint-secret", around: (r#"{"events":["#, "]}"), query: "" };

#[tokio::test]
async fn of_a_batch_each_event_that_was_kept_back_is_shown_and_replayed_by_itself() {
    let database = database().await;
    let pool = database.pool().await;
    let euros = Condition::json("/currency").equals("eur");
    let (handler, mut seen) = observer(on("batch", &["*"]).name("euros").when(euros));
    let gateway = start(&database, &GOCARDLESS.source(""), vec![handler]).await;
    let payment = |n: u32, currency: &str| {
        format!(
            r#"{{"id":"EV{n}","resource_type":"payments","action":"confirmed","links":{{"payment":"PM{n}"}},"currency":"{currency}"}}"#
        )
    };
    let answer = GOCARDLESS.send(&gateway, &[payment(0, "usd"), payment(1, "eur"), payment(2, "usd")]).await;
    seen.next(1).await;
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    let path = format!("deliveries/{}", answer.id());
    let expected = [row("euros", 0, "filtered"), row("euros", 1, "done"), row("euros", 2, "filtered")];
    assert_eq!(jobs(&ask(&gateway, &path).await), expected);

    // An event that came before stands in its own delivery, filtered or not.
    let overlapping = GOCARDLESS.send(&gateway, &[payment(2, "usd"), payment(3, "usd")]).await;
    let shown = ask(&gateway, &format!("deliveries/{}", overlapping.id())).await;
    assert_eq!(jobs(&shown), [row("euros", 1, "filtered")]);

    let replayed = replay(&gateway, answer.id(), json!({"handlers": ["euros"]})).await;
    assert_eq!(replayed["queued"], json!(["euros", "euros"]), "{replayed}");
    let ran: Vec<u32> = seen.next(2).await.iter().map(|seen| seen.event).collect();
    assert_eq!(ran, [0, 2]);
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    assert!(jobs(&ask(&gateway, &path).await).iter().all(|(_, _, state)| state == "done"));
    gateway.shutdown().await;
}
