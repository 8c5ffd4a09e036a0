//! Readiness, metrics, and what is declared.

use std::sync::Arc;
use std::time::Duration;

use hookgate::admin::{Operator, router, sample_forever};
use http::StatusCode;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Api, receipt_key, rows};

impl Api {
    /// The same database behind another operator.
    fn over(&self, change: impl FnOnce(&mut Operator)) -> Self {
        let mut operator = Operator {
            pool: self.pool.clone(),
            tokens: Vec::new(),
            metrics: self.operator.metrics.clone(),
            refusals: self.operator.refusals.clone(),
            lease: self.operator.lease,
            expects_worker: false,
            receipt_key,
            configured: hookgate::admin::Configured::default(),
            work_queued: Box::new(|| ()),
        };
        change(&mut operator);
        let operator = Arc::new(operator);
        Self { router: router(operator.clone()), operator, pool: self.pool.clone() }
    }

    /// The checks that fail, and that the status says so.
    async fn failing(&self) -> Vec<String> {
        let answer = self.get("/readyz").await;
        let json = answer.json();
        let failing: Vec<String> = json["checks"]
            .as_array()
            .expect("checks")
            .iter()
            .filter(|check| check["ok"] == false)
            .map(|check| check["name"].as_str().expect("a name").to_owned())
            .collect();
        let ready = failing.is_empty();
        assert_eq!(json["ready"], ready);
        assert_eq!(answer.status, if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE });
        failing
    }
}

#[tokio::test]
async fn readiness_names_what_is_missing() {
    let api = Api::open().await;
    assert!(api.failing().await.is_empty());

    let with_worker = api.over(|operator| operator.expects_worker = true);
    assert_eq!(with_worker.failing().await, ["workers"]);
    let worker = rows::worker(&api.pool, &["billing"]).await;
    assert!(with_worker.failing().await.is_empty());
    sqlx::query("update hookgate.workers set heartbeat_at = now() - interval '21 s' where id = $1")
        .bind(worker)
        .execute(&api.pool)
        .await
        .unwrap();
    assert_eq!(with_worker.failing().await, ["workers"], "silent for longer than its lease");

    let today = chrono::Utc::now().format("%Y%m%d");
    let detach = format!("alter table hookgate.attempts_long detach partition hookgate.attempts_long_{today}");
    sqlx::query(sqlx::AssertSqlSafe(detach)).execute(&api.pool).await.unwrap();
    assert_eq!(api.failing().await, ["partitions"]);

    sqlx::query("delete from hookgate.migrations").execute(&api.pool).await.unwrap();
    assert_eq!(api.failing().await, ["migrations"]);
}

#[tokio::test]
async fn without_its_database_the_process_lives_but_is_not_ready() {
    let api = Api::open().await;
    api.pool.close().await;
    assert_eq!(api.failing().await, ["database"]);
    assert_eq!(api.get("/healthz").await.status, StatusCode::OK);
    let answer = api.get("/api/v1/deliveries").await;
    assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::SERVICE_UNAVAILABLE, "database-unavailable"));
    assert_eq!(answer.header("retry-after"), "5");
    assert!(!answer.text().contains("pool"), "inside text stays inside: {}", answer.text());
}

#[tokio::test]
async fn gauges_show_what_waits() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _here = metrics::set_default_local_recorder(&recorder);
    let api = Api::open().await;
    let api = api.over(|operator| operator.metrics = recorder.handle());
    let source = rows::source(&api.pool, "stripe").await;
    let billing = rows::handler(&api.pool, "billing", source).await;
    let id = rows::delivery(&api.pool, source).await;
    rows::job(&api.pool, id, billing, 0, "ready").await;
    rows::job(&api.pool, id, billing, 1, "waiting").await;
    rows::dead(&api.pool, id, billing).await;
    rows::worker(&api.pool, &["billing"]).await;

    let stop = CancellationToken::new();
    let shown = async {
        while !api.operator.metrics.render().contains("hookgate_workers 1") {
            tokio::task::yield_now().await;
        }
        stop.cancel();
    };
    let both = async { tokio::join!(sample_forever(api.operator.clone(), stop.clone()), shown) };
    tokio::time::timeout(Duration::from_secs(20), both).await.unwrap();
    let text = api.get("/metrics").await.text();
    for line in [
        r#"hookgate_jobs{handler="billing",state="ready"} 1"#,
        r#"hookgate_jobs{handler="billing",state="waiting"} 1"#,
        r#"hookgate_dead{handler="billing"} 1"#,
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[tokio::test]
async fn what_is_declared_shows_who_runs_it() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    rows::handler(&api.pool, "billing", source).await;
    rows::handler(&api.pool, "orphan", source).await;
    let worker = rows::worker(&api.pool, &["billing"]).await;

    let handlers = api.read("/api/v1/handlers").await;
    let live: Vec<(&Value, &Value)> =
        handlers["items"].as_array().unwrap().iter().map(|h| (&h["name"], &h["live_workers"])).collect();
    assert_eq!(live, [(&json!("billing"), &json!(1)), (&json!("orphan"), &json!(0))]);
    assert_eq!(handlers["items"][0]["sources"], json!(["stripe"]));
    assert_eq!(handlers["items"][0]["paused"], json!([]));
    let sources = api.read("/api/v1/sources").await;
    assert_eq!(sources["items"][0]["handlers"], json!(["billing", "orphan"]));
    let workers = api.read("/api/v1/workers").await;
    assert_eq!((&workers["items"][0]["id"], &workers["items"][0]["alive"]), (&json!(worker.to_string()), &json!(true)));
}

#[tokio::test]
async fn the_operator_learns_why_requests_were_refused() {
    let api = Api::open().await;
    let peer = "192.0.2.7".parse().ok();
    for _ in 0..3 {
        let names = ["stripe-signature"];
        api.operator.refusals.note(Some("stripe"), "bad_signature", peer, chrono::Utc::now(), 17, names);
    }
    let shown = api.read("/api/v1/refusals?limit=2").await;
    assert_eq!(shown["counts"], json!([{ "source": "stripe", "reason": "bad_signature", "refusals": 3 }]));
    assert_eq!(shown["items"].as_array().unwrap().len(), 2);
    assert_eq!(shown["items"][0]["headers"], json!(["stripe-signature"]));
    assert_eq!((&shown["items"][0]["peer"], &shown["items"][0]["size"]), (&json!("192.0.2.7"), &json!(17)));
}
