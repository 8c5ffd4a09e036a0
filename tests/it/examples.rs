//! The examples do what they say. `ledger` is what the crash tests kill.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, toml};
use crate::support::postgres::{database, fresh_folder};
use crate::support::process::example;
use crate::support::work::{execute, number};

#[test]
fn the_readme_shows_the_quickstart_as_it_is() {
    let code = include_str!("../../examples/quickstart.rs");
    let code = code.split_once("\n\n").expect("code after the head").1;
    assert!(include_str!("../../README.md").contains(code), "copy examples/quickstart.rs into README.md");
}

#[tokio::test]
async fn the_quickstart_credits_an_invoice_once_however_often_it_comes() {
    let database = database().await;
    let pool = database.pool().await;
    execute(&pool, "create table credit (customer text, amount bigint)").await;
    let file = fresh_folder().join("hookgate.toml");
    std::fs::write(&file, toml(&database, "")).expect("write the configuration");
    let mut gateway = Command::new(example("quickstart"))
        .args(["dev", "--config"])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("start the quickstart");
    let mut line = String::new();
    BufReader::new(gateway.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    let ingest = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).expect("where it receives");
    let ingest = ingest.parse().expect("an address");
    let paid = serde_json::json!({
        "id": "evt_1", "object": "event", "type": "invoice.paid", "created": 1_700_000_000,
        "data": { "object": { "id": "in_1", "customer": "cus_1", "amount_paid": 1200 } },
    });
    let paid = Signed::stripe(paid.to_string());
    assert_eq!(paid.send(ingest).await.outcome(), "accepted");
    let credited = "select coalesce(sum(amount), 0)::bigint from credit where customer = 'cus_1'";
    eventually("the credit", 1200, async || number(&pool, credited).await).await;
    assert_eq!(paid.send(ingest).await.outcome(), "duplicate");
    let pid = Pid::from_raw(gateway.id() as i32).expect("a pid");
    kill_process(pid, Signal::TERM).expect("stop it");
    assert!(gateway.wait().expect("its end").success());
    assert_eq!(number(&pool, credited).await, 1200);
    std::fs::remove_dir_all(file.parent().expect("its folder")).expect("clean up");
}
