//! Jobs of a handler that no live worker contains wait where somebody sees it, and are told of once.

use std::process::Command;

use hookgate::{Order, on};
use serde_json::json;
use sqlx::PgPool;

use super::{deliver, handler, post};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start, toml};
use crate::support::metric::{counter, counting};
use crate::support::postgres::{TestDatabase, fresh_folder};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, execute, number, unfinished};

/// As if a minute had passed since it was last seen.
async fn a_minute_passes(pool: &PgPool) {
    eventually("it is noted", true, async || {
        number(pool, "select count(*) from hookgate.handlers where unserved_since is not null").await == 1
    })
    .await;
    execute(pool, "update hookgate.handlers set unserved_since = unserved_since - interval '61 seconds'").await;
}

/// A gateway in a process of its own, for its log.
struct Told(std::process::Child, std::path::PathBuf);

impl Told {
    fn start(database: &TestDatabase) -> Self {
        let folder = fresh_folder();
        std::fs::write(folder.join("hookgate.toml"), toml(database, "")).expect("write the configuration");
        let log = std::fs::File::create(folder.join("log")).expect("make the log");
        let mut serve = Command::new(env!("CARGO_BIN_EXE_hookgate"));
        serve.current_dir(&folder).args(["dev", "--config", "hookgate.toml"]).env("HOOKGATE__WORKER__LEASE", "2s");
        let child = serve.stdout(std::process::Stdio::null()).stderr(log).spawn().expect("start a gateway");
        Self(child, folder)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.1.join("log")).expect("read the log")
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
        let _ = std::fs::remove_dir_all(&self.1);
    }
}

#[tokio::test]
async fn they_wait_without_an_attempt_and_are_shown_with_since_when_and_how_many() {
    for order in [Order::None, Order::Lane] {
        counting();
        let name = format!("unserved-{}", if order == Order::Lane { "lane" } else { "none" });
        let (database, pool) = database_with_effects().await;
        let named = || puppet(on("stripe", &["*"]).name(&name).order(order));
        let before = start(&database, "", vec![named().0]).await;
        before.shutdown().await;
        // Renamed, or taken out: nobody has it any more, and it is subscribed.
        let gateway = start(&database, "", vec![]).await;
        for n in 1..=3 {
            deliver(&gateway, n, "in_1").await;
        }
        assert!(handler(&gateway, &name).await["handler_unserved"].is_null(), "a deploy may take a minute");
        a_minute_passes(&pool).await;
        let row = handler(&gateway, &name).await;
        assert_eq!((&row["handler_unserved"]["jobs"], &row["live_workers"]), (&json!(3), &json!(0)), "{row}");
        assert!(row["handler_unserved"]["since"].is_string());
        // Its gauge is sampled when an operator starts.
        let sampling = start(&database, "", vec![]).await;
        let gauge = format!("hookgate_unserved_jobs{{handler=\"{name}\"}}");
        eventually("the gauge", 3, async || counter(&gauge)).await;
        assert_eq!((unfinished(&pool).await, attempts(&pool).await.len()), (3, 0));
        // Whoever brings it back has it all.
        let (back, mut calls) = named();
        let worker = start(&database, "", vec![back]).await;
        for _ in 0..3 {
            calls.next().await.succeed();
        }
        eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
        eventually("it is served", true, async || handler(&gateway, &name).await["handler_unserved"].is_null()).await;
        for running in [worker, sampling, gateway] {
            running.shutdown().await;
        }
    }
}

#[tokio::test]
async fn one_gateway_of_several_says_it_once() {
    let (database, pool) = database_with_effects().await;
    let before = start(&database, "", vec![puppet(on("stripe", &["*"]).name("gone")).0]).await;
    before.shutdown().await;
    let told = [Told::start(&database), Told::start(&database)];
    let gateway = start(&database, "", vec![]).await;
    let said = || told.iter().map(|gateway| gateway.log().matches("handler.unserved").count()).sum::<usize>();
    let marked = "select count(*) from hookgate.handlers where unserved_told";
    // Without jobs it is nobody's trouble.
    a_minute_passes(&pool).await;
    Signed::standard("msg_1", "{}").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(number(&pool, marked).await, 0);
    // This process looks too, but has no log to count in.
    post(&gateway, "pause", json!({"all": true})).await;
    gateway.shutdown().await;
    let receiving = crate::support::gateway::start_receiving(&database, "").await;
    let answer = Signed::stripe_event("evt_1", "a.b", "in_1").send(receiving.ingest_addr().unwrap()).await;
    assert_eq!(answer.outcome(), "accepted");
    eventually("it is told", 1, async || number(&pool, marked).await).await;
    receiving.shutdown().await;
    eventually("both looked again", true, async || {
        let beats = "select count(*) from hookgate.workers where heartbeat_at > now() - interval '500 ms'";
        number(&pool, beats).await == 2
    })
    .await;
    assert!(said() <= 1, "{}", said());
}
