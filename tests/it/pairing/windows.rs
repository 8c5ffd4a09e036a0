//! The operator's side: who opens a window, how it is shown, and when it is over.

use std::process::Command;

use serde_json::json;

use super::{OFFERED, gateway, ingest, last_refusal, open, operate, pairable, see};
use crate::support::eventually::eventually;
use crate::support::postgres::database;
use crate::support::rows::count;
use crate::support::work::execute;

#[tokio::test]
async fn it_is_over_by_the_databases_clock() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let gateway = gateway(&database, case).await;
    open(&gateway).await;
    assert_eq!(see(&gateway, "sources/paired").await["window"]["open"], true);
    let later = "update hookgate.pairing_windows
                    set opened_at = opened_at - interval '10 min', closes_at = closes_at - interval '10 min'";
    execute(&pool, later).await;
    assert_eq!(case.offer(ingest(&gateway), OFFERED).await.status, 401);
    assert_eq!(last_refusal(&gateway).await, "pairing_closed");
    assert_eq!(count(&pool, "paired_secrets").await, 0);
    let shown = see(&gateway, "sources/paired").await;
    assert_eq!((&shown["window"]["open"], &shown["pairing_until"]), (&json!(false), &json!(null)), "{shown}");
    gateway.shutdown().await;
}

#[tokio::test]
async fn it_is_recorded_who_opened_it_and_shown_until_when() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let gateway = gateway(&database, case).await;
    let before = see(&gateway, "sources").await;
    let source = before["items"].as_array().unwrap().iter().find(|source| source["name"] == "paired").unwrap().clone();
    assert_eq!((&source["configured_secrets"], &source["paired_secrets"]), (&json!(0), &json!(0)));
    assert_eq!((&source["offers_secrets"], &source["signed"]["body"]), (&json!(true), &json!(true)));

    let (_, opened) = operate(&gateway, "sources/paired/pair", json!({ "for": "90s" })).await;
    let shown = see(&gateway, "sources/paired").await;
    assert_eq!((&shown["pairing_until"], &shown["window"]["opened_by"]), (&opened["closes_at"], &json!("local")));
    assert_eq!(
        count(&pool, "audit where action = 'source.pair' and actor = 'local' and detail ->> 'for' = '90s'").await,
        1
    );
    gateway.shutdown().await;
}

#[tokio::test]
async fn what_can_not_be_paired_is_refused_with_what_to_do() {
    let database = database().await;
    let gateway = gateway(&database, pairable()[0]).await;
    for (path, body, status, says) in [
        ("sources/github/pair", json!({}), 400, "secrets"),
        ("sources/nobody/pair", json!({}), 404, "no such source"),
        ("sources/paired/pair", json!({"for": "1y"}), 400, "duration"),
        ("sources/paired/pair", json!({"for": "2d"}), 400, "between 1s and 1d"),
        ("sources/paired/forget", json!({"secret": 100}), 404, "no paired secret"),
    ] {
        let (answered, problem) = operate(&gateway, path, body).await;
        let detail = problem["detail"].as_str().unwrap_or_default().to_lowercase();
        assert!(answered == status && detail.contains(&says.to_lowercase()), "{path}: {answered} {problem}");
    }
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_waits_until_the_secret_is_there_and_shows_it_by_number() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let gateway = gateway(&database, case).await;
    let api = format!("http://{}", gateway.operator_addr().unwrap());
    let hookgate = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookgate"));
        command.env_remove("HOOKGATE_CONFIG").env_remove("HOOKGATE_TOKEN");
        command.args(line.split_whitespace()).args(["--api", &api]);
        command
    };
    let mut pair = hookgate("sources pair paired --for 5m --wait");
    let waiting = tokio::task::spawn_blocking(move || pair.output().expect("the binary runs"));
    eventually("a window is open", 1, async || count(&pool, "pairing_windows").await).await;
    case.offer(ingest(&gateway), OFFERED).await;
    let waited = waiting.await.unwrap();
    let said = String::from_utf8_lossy(&waited.stdout).into_owned();
    assert!(waited.status.success() && said.contains("Paired: secret 100 of paired is live."), "{said}");

    for line in
        ["sources list", "sources show paired", "sources show paired --json", "sources forget paired --secret 100"]
    {
        let mut command = hookgate(line);
        let output = tokio::task::spawn_blocking(move || command.output().expect("the binary runs")).await.unwrap();
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.contains("paired") && !said.contains(OFFERED), "{line}: {said}");
    }
    gateway.shutdown().await;
}
