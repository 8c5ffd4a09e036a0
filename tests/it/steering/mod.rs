//! What operators say to the engine while it runs, and what it bears from handlers without being told.

mod bystanders;
mod cancelled;
mod commands;
mod misbehaving;
mod paused;
mod redriven;
mod retired;
mod unserved;

use hookgate::Running;
use serde_json::Value;
use sqlx::PgPool;

use crate::support::gateway::{Signed, client};
use crate::support::work::number;

/// Asks the operator API; status and body.
async fn ask(gateway: &Running, method: &str, path: &str, body: Value) -> (u16, Value) {
    let url = format!("http://{}/api/v1/{path}", gateway.operator_addr().expect("it has operators"));
    let request = match method {
        "GET" => client().get(url),
        _ => client().post(url).json(&body),
    };
    let response = request.send().await.expect("an answer");
    let status = response.status().as_u16();
    (status, response.json().await.expect("JSON"))
}

async fn post(gateway: &Running, path: &str, body: Value) -> Value {
    let (status, answer) = ask(gateway, "POST", path, body).await;
    assert!((200..300).contains(&status), "{path}: {status} {answer}");
    answer
}

async fn get(gateway: &Running, path: &str) -> Value {
    let (status, answer) = ask(gateway, "GET", path, Value::Null).await;
    assert_eq!(status, 200, "{path}: {answer}");
    answer
}

/// A Stripe event about an object; the delivery's id.
async fn deliver(gateway: &Running, n: u32, object: &str) -> String {
    let event = Signed::stripe_event(&format!("evt_{n}"), "a.b", object);
    let answer = event.send(gateway.ingest_addr().expect("it receives")).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    answer.id().to_owned()
}

/// The handler's row in the API.
async fn handler(gateway: &Running, name: &str) -> Value {
    let page = get(gateway, "handlers").await;
    let items = page["items"].as_array().expect("items");
    items.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not in {page}")).clone()
}

/// How many lines of the audit trail say this.
async fn audited(pool: &PgPool, action: &str, object: &str) -> i64 {
    let sql = format!("select count(*) from hookgate.audit where action = '{action}' and object = '{object}'");
    number(pool, &sql).await
}

/// Lanes whose counter is not what their jobs say.
async fn miscounted(pool: &PgPool) -> i64 {
    number(
        pool,
        "select count(*) from hookgate.lanes l
          where l.pending <> (select count(*) from hookgate.jobs j where j.lane = l.lane)",
    )
    .await
}
