//! The commands, as an operator types them.

use hookgate::{Order, Running, on};
use serde_json::Value;

use super::{deliver, handler};
use crate::support::eventually::eventually;
use crate::support::gateway::start;
use crate::support::puppet::puppet;
use crate::support::work::{database_with_effects, deaths, unfinished};

/// Runs a command against a gateway: exit code, standard output, standard error.
async fn run(gateway: &Running, line: &str) -> (i32, String, String) {
    let api = format!("http://{}", gateway.operator_addr().expect("it has operators"));
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_hookgate"));
    command.args(line.split_whitespace()).args(["--api", &api]).env_remove("HOOKGATE_TOKEN");
    let output = command.output().await.expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("it ended by itself"), text(&output.stdout), text(&output.stderr))
}

#[tokio::test]
async fn an_operator_pauses_looks_cancels_hands_over_and_retires_from_the_command_line() {
    let (database, pool) = database_with_effects().await;
    let (old, _old_calls) = puppet(on("stripe", &["*"]).name("old").order(Order::Lane));
    let (new, mut calls) = puppet(on("stripe", &["*"]).name("new"));
    let gateway = start(&database, "", vec![old, new]).await;

    let (code, out, _) = run(&gateway, "pause --all --reason migration").await;
    assert_eq!(code, 0);
    assert!(out.starts_with("Everything is paused.\nPaused now:") && out.contains("local  migration"), "{out}");
    let (code, out, _) = run(&gateway, "pause --handler old --source stripe").await;
    assert!(code == 0 && out.contains("handler old on source stripe"), "{out}");
    let (code, _, err) = run(&gateway, "pause --handler odd").await;
    assert!(code == 5 && err.contains("no handler of this name"), "{err}");

    for n in 1..=3 {
        deliver(&gateway, n, "in_1").await;
    }
    let (code, out, _) = run(&gateway, "jobs list --handler old --lane in_1").await;
    assert_eq!((code, out.matches("ready (paused)").count()), (0, 3), "{out}");
    let (code, _, err) = run(&gateway, "jobs cancel --handler new").await;
    assert!(code == 2 && err.contains("3 jobs") && err.contains("--yes"), "{err}");
    let (code, out, _) = run(&gateway, "jobs cancel --handler new --dry-run").await;
    assert_eq!((code, out.as_str(), unfinished(&pool).await), (0, "3 jobs would end.\n", 6));
    let (code, out, _) = run(&gateway, "jobs cancel --handler new --source stripe --yes --json").await;
    let answer: Value = serde_json::from_str(&out).expect("one JSON value");
    assert_eq!((code, &answer["cancelled"], unfinished(&pool).await), (0, &Value::from(3), 3));

    let (code, out, _) = run(&gateway, "resume --all").await;
    assert!(code == 0 && out.contains("Everything is resumed.") && out.contains("handler old on source"), "{out}");
    let (code, out, _) = run(&gateway, "handlers redrive old --to new").await;
    assert_eq!(
        (code, out.as_str()),
        (0, "3 jobs of old ended, and 0 of new were made.\n"),
        "new has had them: cancelled"
    );
    let (code, out, _) = run(&gateway, "handlers retire old").await;
    assert_eq!((code, out.as_str()), (0, "old is retired: 0 of its jobs are cancelled.\n"));
    let (code, out, _) = run(&gateway, "handlers list").await;
    assert!(code == 0 && out.contains("retired 20") && out.contains("live"), "{out}");
    assert!(handler(&gateway, "old").await["retired_at"].is_string());

    deliver(&gateway, 4, "in_1").await;
    calls.next().await.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    assert_eq!(deaths(&pool).await.len(), 6);
    gateway.shutdown().await;
}
