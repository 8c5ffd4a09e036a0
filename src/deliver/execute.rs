//! Runs one attempt: payload loaded, handler called under its timeout and a panic guard.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use http::{HeaderMap, HeaderName, HeaderValue};
use sqlx::{Postgres, Transaction};
use tokio::time::Instant;

use super::Worker;
use super::answered::answered;
use super::claim::Claim;
use crate::answers::Answer;
use crate::database::single;
use crate::handler::{Context, ContextParts, Delivery, Handler, HandlerError, Kind};
use crate::headers;
use crate::job::Outcome;
use crate::registry::Received;
use crate::store::deliveries::{self, Stored};
use crate::store::jobs::Job;
use crate::store::{Token, claims};

/// What came of an attempt. The transaction, where one is open, holds the handler's effects.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) transaction: Option<Transaction<'static, Postgres>>,
    pub(crate) error: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) started_at: DateTime<Utc>,
    /// What the sender is answered with, if this is settled as done.
    pub(crate) answer: Option<Answer>,
}

impl Ran {
    /// What looked like an end was none.
    pub(crate) fn fail(&mut self, why: String) {
        self.outcome = Outcome::Failed { retry_after: None };
        self.error = Some(why);
    }
}

/// Runs the handler on a started job. Errs only if the database was in no state to give the payload: then the handler did
/// not run, and the job is not to blame.
pub(crate) async fn execute(worker: &Worker, handler: &Handler, claim: &Claim, job: &Job) -> sqlx::Result<Ran> {
    let mut conn = single(&worker.pool).await?;
    let started_at = Utc::now();
    let ran = |outcome, error| Ran { outcome, transaction: None, error, status: None, started_at, answer: None };
    let stored = match answered(worker.patience(), deliveries::load(&mut conn, job.delivery)).await {
        // It would go on like this for ever: a failure like any other, with its waits, its budget and its end.
        Err(error) if is_of_the_payload(&error) => {
            let why = format!("the payload can't be read: {error}");
            return Ok(ran(Outcome::Failed { retry_after: None }, Some(why)));
        }
        stored => stored?,
    };
    conn.done().await?;
    let Some(stored) = stored else {
        return Ok(ran(Outcome::Permanent, Some("the payload is past its retention".to_owned())));
    };
    let delivery = delivery(stored, job, handler);
    if handler.kind == Kind::Rust && delivery.indexes.len() > 1 {
        let count = delivery.indexes.len();
        let why = format!("queued for a forward of this name: it stands for {count} events, and a function takes one");
        return Ok(ran(Outcome::Permanent, Some(why)));
    }
    let mut cx = Context::new(ContextParts {
        pool: Some(worker.pool.clone()),
        held: claim.held(),
        token: claim.token(),
        job: job.key(),
        delivery: Arc::new(delivery),
        attempt: job.attempt.unsigned_abs(),
        deadline: Instant::now() + handler.timeout,
        handler: Arc::clone(&handler.name),
        intent: 0,
        state: Arc::clone(&worker.state),
        breakers: Some(Arc::clone(&worker.breakers)),
        responds: handler.responds,
    });
    let guarded = AssertUnwindSafe(handler.runner.run(&mut cx)).catch_unwind();
    let result = tokio::time::timeout(handler.timeout, guarded).await;
    let (status, answer) = (cx.status(), cx.take_answer());
    let (outcome, error) = match result {
        Ok(Ok(Ok(()))) => (Outcome::Ok, None),
        Ok(Ok(Err(error))) => (HandlerError::outcome(&error), Some(error.describe())),
        Ok(Err(panic)) => (Outcome::Panic, Some(panic_text(&*panic))),
        Err(_) => (Outcome::Timeout, Some(format!("not done within {:?}", handler.timeout))),
    };
    let lent = cx.into_transaction();
    if outcome == Outcome::Ok {
        return Ok(Ran { transaction: lent, status, answer, ..ran(outcome, error) });
    }
    // Only what ended well keeps its effects: dropping the transaction rolls them back, if it still is the one lent.
    if let Some(lent) = lent
        && has_escaped(lent, claim.token()).await
    {
        let text = format!("{ESCAPED}; then: {}", error.unwrap_or_default());
        return Ok(Ran { status, ..ran(Outcome::Escaped, Some(text)) });
    }
    Ok(Ran { status, ..ran(outcome, error) })
}

/// Whether the database answered, and what it said is of this payload or this statement (damaged data, a missing right)
/// rather than of the server's state: a connection's end, a restart, a failover, no room, a lock.
fn is_of_the_payload(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(refusal) => {
            let code = refusal.code().unwrap_or_default();
            !["08", "25", "40", "53", "55", "57P", "58"].iter().any(|state| code.starts_with(state))
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => true,
        _ => false,
    }
}

/// What a job that ended its lent transaction is told by.
pub(crate) const ESCAPED: &str = "the handler ended the transaction that was lent to it";

/// Whether the handler committed what it wrote and failed afterwards: to run it again would write it twice. A
/// transaction that a statement broke can't be asked and was not committed; one that doesn't answer is in the middle of
/// a statement of a run that was cut off.
async fn has_escaped(mut lent: Transaction<'static, Postgres>, token: Token) -> bool {
    let asked = tokio::time::timeout(Duration::from_secs(1), claims::is_marked(&mut lent, token)).await;
    matches!(asked, Ok(Ok(false)))
}

fn delivery(stored: Stored, job: &Job, handler: &Handler) -> Delivery {
    // The row's own columns tell of the first event, which this one may not be.
    let (mut event_id, mut event_type, mut ordering_key) = (stored.provider_id, stored.event_type, stored.ordering_key);
    let (mut version, mut element) = (stored.version, None);
    let mut indexes = Vec::new();
    if let Some(facts) = stored.batch.as_ref().and_then(|batch| batch.get(job.event as usize)) {
        let text = |name: &str| Some(facts.get(name)?.as_str()?.to_owned());
        (event_id, event_type, ordering_key) = (text("id"), text("type"), text("key"));
        (version, element) = (facts.get("version").and_then(serde_json::Value::as_i64), text("pointer"));
        indexes = job.elements.clone().unwrap_or_else(|| vec![job.event]);
    }
    if let Some(placement) = &handler.placement {
        let received = Received { target: &stored.target, headers: &stored.headers, body: &stored.body };
        let placed = received.place_one(&stored.provider, element.as_deref(), placement);
        (ordering_key, version) = (placed.ordering_key.or(ordering_key), placed.version.or(version));
    }
    Delivery {
        id: stored.id,
        event: job.event,
        event_id,
        event_type,
        ordering_key,
        version,
        element,
        indexes,
        source: stored.source,
        received_at: stored.received_at,
        headers: header_map(&stored.headers),
        content_type: stored.content_type,
        body: stored.body.into(),
        sequence: job.seq,
        replay: job.run > 0,
    }
}

/// As received, but for what HTTP could not carry in the first place.
fn header_map(encoded: &[u8]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in headers::decode(encoded).iter() {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(value)) {
            map.append(name, value);
        }
    }
    map
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the handler panicked: {}", text.unwrap_or("(no message)"))
}
