//! The operator API, in process, over a database with rows of every kind.

mod access;
mod deliveries;
mod health;
mod rows;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hookgate::admin::{Operator, OperatorToken, Refusals, Role, router};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use metrics_exporter_prometheus::PrometheusBuilder;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tower::ServiceExt;

/// An operator listener's router and the database under it.
struct Api {
    operator: Arc<Operator>,
    router: Router,
    pool: PgPool,
}

/// An answer, read to its end.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("a text header"))
    }

    /// The problem's name, once it is clear that it is one.
    fn problem(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        let json = self.json();
        assert_eq!(json["status"], self.status.as_u16());
        for member in ["title", "detail", "action"] {
            assert!(json[member].as_str().is_some_and(|text| text.len() > 5), "{json}");
        }
        json["type"].as_str().expect("a type").replace("urn:hookgate:problem:", "")
    }
}

impl Api {
    /// Without tokens: everyone local is admin.
    async fn open() -> Self {
        Self::with_tokens(Vec::new()).await
    }

    async fn with_tokens(tokens: Vec<OperatorToken>) -> Self {
        let pool = crate::support::postgres::database().await.pool().await;
        let operator = Arc::new(Operator {
            pool: pool.clone(),
            tokens,
            metrics: PrometheusBuilder::new().build_recorder().handle(),
            refusals: Arc::new(Refusals::default()),
            lease: Duration::from_secs(20),
            expects_worker: false,
            receipt_key,
            configured: hookgate::admin::Configured::default(),
            work_queued: Box::new(|| ()),
        });
        Self { router: router(operator.clone()), operator, pool }
    }

    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.expect("no error but an answer");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, target: &str) -> Answer {
        self.send(local("GET", target).body(Body::empty()).expect("a request")).await
    }

    /// The JSON of a successful GET.
    async fn read(&self, target: &str) -> Value {
        let answer = self.get(target).await;
        assert_eq!(answer.status, StatusCode::OK, "{target}: {}", answer.text());
        answer.json()
    }

    /// The ids on the page.
    async fn ids(&self, target: &str) -> Vec<String> {
        ids(&self.read(target).await)
    }
}

fn ids(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().expect("items");
    items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

fn local(method: &str, target: &str) -> http::request::Builder {
    Request::builder().method(method).uri(target).header("host", "127.0.0.1:8081")
}

fn token(name: &str, role: Role) -> OperatorToken {
    OperatorToken { name: name.to_owned(), role, secret: format!("{name}-secret").into() }
}

/// These tests' own way to key receipts; the gateway brings another.
fn receipt_key(id: &str) -> [u8; 16] {
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(id)[..16]);
    key
}
