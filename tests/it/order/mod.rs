//! The order policies of a handler, and what an operator does to a lane.

mod failing_heads;
mod keys;
mod latest;
mod operators;
mod windows;

use hookgate::{Handler, Named, Running, on};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, start};
use crate::support::postgres::TestDatabase;
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{database_with_effects, lanes, unfinished};

/// A gateway with one handler whose every step the test decides.
pub(super) struct Scene {
    pub(super) gateway: Running,
    pub(super) pool: PgPool,
    pub(super) calls: Calls,
    _database: TestDatabase,
}

impl Scene {
    pub(super) async fn new(options: impl FnOnce(Named) -> Named) -> Self {
        let (handler, calls) = puppet(options(on("stripe", &["*"]).name("ordered")));
        Self::with(handler, calls, "").await
    }

    pub(super) async fn with(handler: Handler, calls: Calls, more: &str) -> Self {
        let (database, pool) = database_with_effects().await;
        let gateway = start(&database, more, vec![handler]).await;
        Self { gateway, pool, calls, _database: database }
    }

    /// Sends an event of this key and version; its delivery.
    pub(super) async fn send(&self, id: &str, key: &str, version: i64) -> uuid::Uuid {
        let body = json!({
            "id": id, "object": "event", "type": "a.b", "created": version,
            "data": {"object": {"id": key}},
        });
        let answer = Signed::stripe(body.to_string()).send(self.gateway.ingest_addr().unwrap()).await;
        assert_eq!(answer.status, 202, "{}", answer.text);
        answer.id().parse().unwrap()
    }

    /// What the API answers to a GET.
    pub(super) async fn read(&self, path: &str) -> Value {
        let url = format!("http://{}/api/v1/{path}", self.gateway.operator_addr().unwrap());
        let response = client().get(url).send().await.expect("an answer");
        let (status, text) = (response.status(), response.text().await.expect("a body"));
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Status and JSON of a POST.
    pub(super) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let url = format!("http://{}/api/v1/{path}", self.gateway.operator_addr().unwrap());
        let response = client().post(url).json(&body).send().await.expect("an answer");
        let (status, text) = (response.status().as_u16(), response.text().await.expect("a body"));
        (status, serde_json::from_str(&text).expect("JSON"))
    }

    /// The one lane there is.
    pub(super) async fn lane(&self) -> String {
        sqlx::query_scalar("select encode(lane, 'hex') from hookgate.lanes")
            .fetch_one(&self.pool)
            .await
            .expect("one lane")
    }

    /// Does it to the one lane there is; the lane afterwards.
    pub(super) async fn act(&self, act: &str) -> Value {
        let (status, done) = self.post(&format!("lanes/{}/{act}", self.lane().await), json!({})).await;
        assert_eq!(status, 200, "{act}: {done}");
        done
    }

    /// Waits until the one lane there is stands like this.
    pub(super) async fn lane_is(&self, state: &str, pending: i32) {
        let expected = vec![(state.to_owned(), pending)];
        eventually("the lane", expected, async || {
            lanes(&self.pool).await.into_iter().map(|(_, state, pending)| (state, pending)).collect::<Vec<_>>()
        })
        .await;
    }

    pub(super) async fn all_done(self) {
        eventually("no unfinished job", 0, async || unfinished(&self.pool).await).await;
        eventually("lanes are idle", true, async || {
            lanes(&self.pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0))
        })
        .await;
        self.gateway.shutdown().await;
    }
}

/// Outcome of each attempt of a delivery, with `?` where another of its version was there and `!` where it was out of order.
pub(super) async fn outcomes(pool: &PgPool, delivery: uuid::Uuid) -> Vec<String> {
    let sql = format!(
        "select outcome || case when ambiguous then '?' else '' end || case when out_of_order then '!' else '' end
           from hookgate.attempts where delivery = '{delivery}' order by attempt, started_at"
    );
    sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(pool).await.expect("read attempts")
}
