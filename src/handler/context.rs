//! What a running handler is given: the transaction, the downstream key, and the facts of this attempt.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use sqlx::postgres::{PgConnection, PgPool, Postgres};
use tokio::time::Instant;

use super::{Delivery, Dependency, HandlerError, State};
use crate::answers::{Answer, LARGEST};
use crate::breaker::Breakers;
use crate::database::begin;
use crate::store::{Held, JobKey, Token, claims};

/// One attempt, as its handler sees it.
///
/// It has no lifetime parameter, so that a plain `async fn` taking `&mut Context` is a handler.
pub struct Context {
    parts: ContextParts,
    idempotency_key: String,
    transaction: Option<sqlx::Transaction<'static, Postgres>>,
    status: Option<u16>,
    answer: Option<Answer>,
}

/// What the delivery stage knows about the attempt it starts.
pub(crate) struct ContextParts {
    /// `None` where nothing is stored: then only handlers without [`Context::tx`] work.
    pub(crate) pool: Option<PgPool>,
    pub(crate) held: Held,
    pub(crate) token: Token,
    pub(crate) job: JobKey,
    pub(crate) delivery: Arc<Delivery>,
    /// From 1.
    pub(crate) attempt: u32,
    /// When the attempt times out.
    pub(crate) deadline: Instant,
    pub(crate) handler: Arc<str>,
    /// Part of the downstream key: 0, until an operator orders a run that is *meant* to have new effects elsewhere.
    pub(crate) intent: u32,
    pub(crate) state: Arc<State>,
    /// `None` where nothing is shared: then every dependency may be called.
    pub(crate) breakers: Option<Arc<Breakers>>,
    /// Whether its handler answers the request.
    pub(crate) responds: bool,
}

impl Context {
    pub(crate) fn new(parts: ContextParts) -> Self {
        let idempotency_key = downstream_key(&parts.delivery, &parts.handler, parts.intent);
        Self { parts, idempotency_key, transaction: None, status: None, answer: None }
    }

    /// A context that works in a transaction opened by somebody else.
    pub(crate) fn within(parts: ContextParts, transaction: sqlx::Transaction<'static, Postgres>) -> Self {
        Self { transaction: Some(transaction), ..Self::new(parts) }
    }

    /// The transaction that this job completes in, opened on first use.
    ///
    /// What is written through it commits together with the job's completion, or not at all: if the handler fails,
    /// panics, times out or loses its claim, it is rolled back. It can't be committed from here; a `COMMIT` in SQL makes
    /// the job dead as `transaction_escaped`. A nested `begin` is a savepoint.
    ///
    /// It locks nothing of hookgate's, so a slow handler holds up neither ingest nor other jobs. No transaction is open
    /// until this is called: call other systems first.
    pub async fn tx(&mut self) -> Result<&mut PgConnection, HandlerError> {
        let transaction = match self.transaction.take() {
            Some(open) => open,
            None => self.open().await?,
        };
        Ok(self.transaction.insert(transaction))
    }

    async fn open(&self) -> Result<sqlx::Transaction<'static, Postgres>, HandlerError> {
        let parts = &self.parts;
        let Some(pool) = &parts.pool else {
            return Err(HandlerError::because("this handler runs without a database").permanent());
        };
        let mut transaction = begin(pool).await?;
        claims::mark(&mut transaction, parts.token, self.left()).await?;
        if !claims::is_held(&mut transaction, &parts.held, parts.token).await? {
            return Err(HandlerError::because("the job was taken from this worker, which was silent for too long"));
        }
        Ok(transaction)
    }

    /// The key to hand to other systems, so that they do the work once: the same on every retry, after a crash, and when
    /// an operator replays the delivery. Another handler, or another event, has another key. 36 characters.
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// Which execution of this job this is, from 1. Rises with every start, also after a crash: for logs, not for
    /// deciding anything.
    pub fn attempt(&self) -> u32 {
        self.parts.attempt
    }

    /// The stored request and what is known about this event.
    pub fn delivery(&self) -> &Delivery {
        &self.parts.delivery
    }

    /// The value of this type that was given to `Builder::state`. A missing one is a permanent error, which says so.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<&T, HandlerError> {
        self.parts.state.get()
    }

    /// Something that this handler calls and that may be down, by a name of your choice. All gateways together keep one
    /// circuit breaker under that name: see [`Dependency`].
    pub fn dependency(&self, name: impl Into<String>) -> Dependency {
        Dependency::new(name.into(), self.parts.breakers.clone(), self.parts.token, self.left())
    }

    /// Answers the request, if this attempt ends well: of several calls the last one counts. The sender gets it if it still
    /// waits, and so does whoever sends the same again later; it is recorded in any case, together with the job's end.
    ///
    /// Errs, for good, where the handler was not declared with [`Named::respond`](super::Named::respond), the status is not
    /// 200 to 299 or 400 to 499, the content type is none, or the body has more than 256 kB. A status of 400 and above makes
    /// most providers send again; they get the same answer then.
    pub fn respond(&mut self, status: u16, content_type: &str, body: impl Into<Bytes>) -> Result<(), HandlerError> {
        if !self.parts.responds {
            return Err(HandlerError::because(
                "cx.respond in a handler that does not respond: add .respond() where it is named",
            )
            .permanent());
        }
        self.answer =
            Some(answer(status, content_type, body.into()).map_err(|why| HandlerError::because(why).permanent())?);
        Ok(())
    }

    /// Answers with what a destination said.
    pub(crate) fn relay(&mut self, answer: Answer) {
        self.answer = Some(answer);
    }

    /// What was answered last.
    pub(crate) fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take()
    }

    /// The delivery, to keep while the context is borrowed for something else.
    pub(crate) fn shared_delivery(&self) -> Arc<Delivery> {
        Arc::clone(&self.parts.delivery)
    }

    /// How long the attempt may still take.
    pub(crate) fn left(&self) -> Duration {
        self.parts.deadline.saturating_duration_since(Instant::now())
    }

    /// The HTTP status the destination answered with, for the attempt's record.
    pub(crate) fn status(&self) -> Option<u16> {
        self.status
    }

    pub(crate) fn set_status(&mut self, status: u16) {
        self.status = Some(status);
    }

    /// Takes the open transaction back, to settle in it. Dropping the context instead rolls it back.
    pub(crate) fn into_transaction(self) -> Option<sqlx::Transaction<'static, Postgres>> {
        self.transaction
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("handler", &self.parts.handler)
            .field("delivery", &self.parts.delivery)
            .field("job", &self.parts.job)
            .field("attempt", &self.parts.attempt)
            .finish_non_exhaustive()
    }
}

fn answer(status: u16, content_type: &str, body: Bytes) -> Result<Answer, String> {
    let status = StatusCode::from_u16(status)
        .ok()
        .filter(|status| status.is_success() || status.is_client_error())
        .ok_or_else(|| format!("cx.respond with status {status}: an answer is 200 to 299 or 400 to 499"))?;
    if body.len() > LARGEST {
        return Err(format!("cx.respond with {} bytes: an answer has at most {} kB", body.len(), LARGEST / 1024));
    }
    let content_type = HeaderValue::from_str(content_type)
        .ok()
        .filter(|text| text.as_bytes().contains(&b'/'))
        .ok_or_else(|| "cx.respond with a content type that is none: write one such as application/json".to_owned())?;
    Ok(Answer { status, headers: [(CONTENT_TYPE, content_type)].into_iter().collect(), body })
}

/// Made from what the work *means*, never from which run or attempt does it. UUID-shaped (version 8), because some APIs
/// take no more than 45 characters (Square: <https://developer.squareup.com/docs/build-basics/common-api-patterns/idempotency>).
fn downstream_key(delivery: &Delivery, handler: &str, intent: u32) -> String {
    let digest = Sha256::new()
        .chain_update(b"hookgate downstream key 1\0")
        .chain_update(delivery.id.as_bytes())
        .chain_update(delivery.event.to_be_bytes())
        .chain_update(intent.to_be_bytes())
        .chain_update(handler.as_bytes())
        .finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().hyphenated().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::delivery::sample;
    use uuid::Uuid;

    #[test]
    fn the_downstream_key_hangs_on_the_work_and_on_nothing_else() {
        let key = downstream_key(&sample(), "credit", 0);
        let replayed = Delivery { replay: true, sequence: Some(9), ..sample() };
        assert_eq!(key, downstream_key(&replayed, "credit", 0), "a replay is the same work");
        let others = [
            downstream_key(&sample(), "credit2", 0),
            downstream_key(&sample(), "credit", 1),
            downstream_key(&Delivery { event: 1, ..sample() }, "credit", 0),
            downstream_key(&Delivery { id: Uuid::from_u128(7), ..sample() }, "credit", 0),
        ];
        assert!(others.iter().all(|other| *other != key), "{key} {others:?}");
    }

    #[test]
    fn the_downstream_key_never_changes_between_releases() {
        assert_eq!(downstream_key(&sample(), "credit", 0), "ff691bb1-9d39-863e-9103-9a7d14692a77");
    }
}
