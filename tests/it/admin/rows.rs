//! A small factory of rows, so that each test says only what matters to it.

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use uuid::Uuid;

/// The first id of a moment's millisecond.
pub(super) fn first_id(moment: DateTime<Utc>) -> Uuid {
    Uuid::from_u128((moment.timestamp_millis() as u128) << 80)
}

pub(super) async fn source(pool: &PgPool, name: &str) -> i32 {
    sqlx::query_scalar("insert into hookgate.sources (name, provider, release) values ($1, 'stripe', 1) returning id")
        .bind(name)
        .fetch_one(pool)
        .await
        .expect("write the row")
}

/// A handler subscribed to the source; the subscription.
pub(super) async fn handler(pool: &PgPool, name: &str, source: i32) -> i32 {
    sqlx::query_scalar(
        "with h as (insert into hookgate.handlers (name, kind, sources, patterns, ordering, release)
                    values ($1, 'forward', '*', '{*}', 'none', 1) returning id)
         insert into hookgate.subscriptions (source, handler, patterns, ordering)
         select $2, id, '{*}', 'none' from h returning id",
    )
    .bind(name)
    .bind(source)
    .fetch_one(pool)
    .await
    .expect("write the row")
}

/// A delivery in the making.
pub(super) struct Delivery {
    pub(super) id: Uuid,
    pub(super) retention: &'static str,
    pub(super) event_type: &'static str,
    pub(super) provider_id: Option<&'static str>,
    pub(super) headers: Vec<u8>,
    pub(super) target: &'static str,
    pub(super) body: Vec<u8>,
    pub(super) conflict_with: Option<Uuid>,
}

impl Default for Delivery {
    fn default() -> Self {
        Self {
            id: Uuid::now_v7(),
            retention: "standard",
            event_type: "invoice.paid",
            provider_id: None,
            headers: Vec::new(),
            target: "/in/stripe",
            body: b"{}".to_vec(),
            conflict_with: None,
        }
    }
}

impl Delivery {
    pub(super) async fn insert(self, pool: &PgPool, source: i32) -> Uuid {
        sqlx::query(
            "insert into hookgate.deliveries
                    (retention, id, source, received_at, method, target, headers, body, content_type, secret,
                     event_type, provider_id, conflict_with)
             values ($1, $2, $3, now(), 'POST', $4, $5, $6, 'application/json', 0, $7, $8, $9)",
        )
        .bind(self.retention)
        .bind(self.id)
        .bind(source)
        .bind(self.target)
        .bind(self.headers)
        .bind(self.body)
        .bind(self.event_type)
        .bind(self.provider_id)
        .bind(self.conflict_with)
        .execute(pool)
        .await
        .expect("write the row");
        self.id
    }
}

/// A plain delivery.
pub(super) async fn delivery(pool: &PgPool, source: i32) -> Uuid {
    Delivery::default().insert(pool, source).await
}

pub(super) async fn job(pool: &PgPool, delivery: Uuid, subscription: i32, run: i32, state: &str) {
    sqlx::query(
        "insert into hookgate.jobs (delivery, event, subscription, run, retention, class, state)
         values ($1, 0, $2, $3, 'standard', 0, $4)",
    )
    .bind(delivery)
    .bind(subscription)
    .bind(run)
    .bind(state)
    .execute(pool)
    .await
    .expect("write the row");
}

pub(super) async fn dead(pool: &PgPool, delivery: Uuid, subscription: i32) {
    sqlx::query(
        "insert into hookgate.dead (delivery, event, subscription, run, retention, attempt, reason, error)
         values ($1, 0, $2, 0, 'standard', 12, 'exhausted', 'connection refused')",
    )
    .bind(delivery)
    .bind(subscription)
    .execute(pool)
    .await
    .expect("write the row");
}

pub(super) async fn attempt(pool: &PgPool, delivery: Uuid, subscription: i32, attempt: i32, outcome: &str) {
    sqlx::query(
        "insert into hookgate.attempts
                (retention, delivery, event, subscription, run, attempt, outcome, started_at, ended_at, status)
         select retention, id, 0, $2, 0, $3, $4, now() + $3 * interval '1 s', now() + $3 * interval '1 s', 200
           from hookgate.deliveries where id = $1",
    )
    .bind(delivery)
    .bind(subscription)
    .bind(attempt)
    .bind(outcome)
    .execute(pool)
    .await
    .expect("write the row");
}

pub(super) async fn copy(pool: &PgPool, delivery: Uuid) {
    sqlx::query(
        "insert into hookgate.copies (retention, delivery, event, act)
         select retention, id, 0, 'noted' from hookgate.deliveries where id = $1",
    )
    .bind(delivery)
    .execute(pool)
    .await
    .expect("write the row");
}

pub(super) async fn receipt(pool: &PgPool, source: i32, provider_id: &str, delivery: Uuid) {
    sqlx::query(
        "insert into hookgate.receipts (source, key, delivery, event, fingerprint)
         values ($1, $2, $3, 0, decode(repeat('00', 16), 'hex'))",
    )
    .bind(source)
    .bind(super::receipt_key(provider_id).as_slice())
    .bind(delivery)
    .execute(pool)
    .await
    .expect("write the row");
}

pub(super) async fn conflict(pool: &PgPool, source: i32, provider_id: &str, delivery: Uuid) {
    sqlx::query(
        "insert into hookgate.conflicts (source, key, delivery, event, fingerprint)
         values ($1, $2, $3, 0, decode(repeat('01', 16), 'hex'))",
    )
    .bind(source)
    .bind(super::receipt_key(provider_id).as_slice())
    .bind(delivery)
    .execute(pool)
    .await
    .expect("write the row");
}

pub(super) async fn worker(pool: &PgPool, handlers: &[&str]) -> Uuid {
    let id = Uuid::now_v7();
    sqlx::query(
        "insert into hookgate.workers (id, host, release, config_hash, handlers) values ($1, 'here', 1, 'abc', $2)",
    )
    .bind(id)
    .bind(handlers)
    .execute(pool)
    .await
    .expect("write the row");
    id
}

/// Header lines as `deliveries.headers` keeps them.
pub(super) fn headers(lines: &[(&str, &str)]) -> Vec<u8> {
    let parts = lines.iter().flat_map(|(name, value)| [name, value]);
    parts.flat_map(|part| [&(part.len() as u32).to_le_bytes()[..], part.as_bytes()].concat()).collect()
}
