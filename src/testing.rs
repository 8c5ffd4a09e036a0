//! Tests of your handlers: one handler, one event, one call; everything the handler wrote is rolled back.
//!
//! ```no_run
//! use hookgate::testing::{self, Outcome};
//! use hookgate::{Context, HandlerError};
//!
//! #[derive(serde::Deserialize)]
//! struct InvoicePaid {
//!     customer: String,
//! }
//!
//! async fn credit(event: InvoicePaid, cx: &mut Context) -> Result<(), HandlerError> {
//!     sqlx::query("insert into credit (customer) values ($1)").bind(event.customer).execute(cx.tx().await?).await?;
//!     Ok(())
//! }
//!
//! # async fn test(pool: sqlx::PgPool) -> Result<(), sqlx::Error> {
//! let credit = hookgate::on("stripe", &["invoice.paid"]).name("credit").run(credit);
//! let event = testing::event("stripe", "invoice.paid", serde_json::json!({ "customer": "cus_1" }));
//!
//! let (report, credited) = testing::run_and_inspect(&credit, event, &pool, async |conn| {
//!     sqlx::query_scalar::<_, i64>("select count(*) from credit").fetch_one(conn).await
//! })
//! .await?;
//!
//! assert_eq!(report.outcome, Outcome::Ok, "{:?}", report.error);
//! assert_eq!(credited?, 1);
//! # Ok(())
//! # }
//! ```

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use chrono::Utc;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, HeaderValue};
use sqlx::postgres::{PgConnection, PgPool};
use tokio::time::Instant;
use uuid::Uuid;

use crate::gateway::Builder;
use crate::handler::{Context, ContextParts, Delivery, Handler, State};
pub use crate::job::Outcome;
use crate::receive::keys::Seam;
use crate::store::{Held, JobKey, Token, claims};

/// An event to run a handler on. Starts as the first attempt of a live JSON delivery, received now.
#[derive(Debug)]
#[must_use = "an event does nothing until a handler runs on it"]
pub struct Event {
    delivery: Delivery,
    state: State,
    attempt: u32,
}

/// An event of a source, with a JSON payload.
pub fn event(source: &str, event_type: &str, payload: serde_json::Value) -> Event {
    Event {
        delivery: Delivery {
            id: Uuid::now_v7(),
            event: 0,
            source: source.to_owned(),
            event_type: Some(event_type.to_owned()),
            received_at: Utc::now(),
            headers: HeaderMap::new(),
            content_type: Some("application/json".to_owned()),
            body: payload.to_string().into(),
            event_id: None,
            version: None,
            element: None,
            indexes: Vec::new(),
            ordering_key: None,
            sequence: None,
            replay: false,
        },
        state: State::default(),
        attempt: 1,
    }
}

impl Event {
    /// Puts these bytes in the payload's place, for forms, broken JSON and the like.
    pub fn body(mut self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.delivery.content_type = Some(content_type.to_owned());
        self.delivery.body = body.into();
        self
    }

    /// Adds a header of the request.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.delivery.headers.append(name, value);
        self
    }

    /// Puts the event in a lane, at a place.
    pub fn in_lane(mut self, ordering_key: &str, sequence: i64) -> Self {
        self.delivery.ordering_key = Some(ordering_key.to_owned());
        self.delivery.sequence = Some(sequence);
        self
    }

    /// Makes it a later attempt. From 1.
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// Makes it an operator's replay.
    pub fn replayed(mut self) -> Self {
        self.delivery.replay = true;
        self
    }

    /// What `Builder::state` gives the handler in production, or a fake of it.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.state.insert(value);
        self
    }
}

/// Has a server of the test answer in place of the hosts from which a gateway fetches providers' keys, and visits what
/// confirms a subscription. Every name leads to `at`, where TLS is spoken with a certificate for that name, signed by
/// `root_pem`.
#[must_use]
pub fn with_key_hosts(builder: Builder, at: SocketAddr, root_pem: &[u8]) -> Builder {
    builder.seam(Seam { at, root: root_pem.to_vec() })
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// What the delivery stage would have been told.
    pub outcome: Outcome,
    /// The error with its causes, as the attempt's record would tell it.
    pub error: Option<String>,
    /// The downstream key the handler was given.
    pub idempotency_key: String,
    /// What the handler answered the request with, where it ended well and answered.
    pub answer: Option<Answer>,
}

/// An answer to a request, as [`Context::respond`] was given it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body's type.
    pub content_type: String,
    /// The body.
    pub body: Bytes,
}

/// Runs the handler once, and rolls back what it wrote through [`Context::tx`].
///
/// The handler's timeout holds; a panic is passed on to the test. Whether source and event type match the handler's
/// patterns is not asked. The error is the database's, from opening or ending the transaction.
pub async fn run(handler: &Handler, event: Event, pool: &PgPool) -> Result<Report, sqlx::Error> {
    run_and_inspect(handler, event, pool, async |_: &mut PgConnection| ()).await.map(|(report, ())| report)
}

/// Like [`run`], and lets `inspect` see what the handler wrote before it is rolled back.
///
/// `inspect` gets the handler's own transaction. If one of the handler's statements failed, Postgres refuses all further
/// ones in it, so look at the report's outcome first.
pub async fn run_and_inspect<T>(
    handler: &Handler,
    event: Event,
    pool: &PgPool,
    inspect: impl AsyncFnOnce(&mut PgConnection) -> T,
) -> Result<(Report, T), sqlx::Error> {
    let job = JobKey { delivery: event.delivery.id, event: 0, subscription: 0, run: i32::from(event.delivery.replay) };
    let token = Token { worker: Uuid::now_v7(), n: 1 };
    let mut transaction = pool.begin().await?;
    claims::mark(&mut transaction, token, handler.timeout).await?;
    let parts = ContextParts {
        pool: Some(pool.clone()),
        held: Held::Job(job),
        token,
        job,
        delivery: Arc::new(event.delivery),
        attempt: event.attempt,
        deadline: Instant::now() + handler.timeout,
        handler: Arc::clone(&handler.name),
        intent: 0,
        state: Arc::new(event.state),
        breakers: None,
        responds: handler.responds,
    };
    let mut cx = Context::within(parts, transaction);
    let ended = tokio::time::timeout(handler.timeout, handler.runner.run(&mut cx)).await;
    let idempotency_key = cx.idempotency_key().to_owned();
    let mut report = Report { outcome: Outcome::Ok, error: None, idempotency_key, answer: None };
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => (report.outcome, report.error) = (error.outcome(), Some(error.describe())),
        Err(_) => {
            (report.outcome, report.error) = (Outcome::Timeout, Some(format!("no end within {:?}", handler.timeout)))
        }
    }
    report.answer = cx.take_answer().filter(|_| report.outcome == Outcome::Ok).map(|answer| Answer {
        status: answer.status.as_u16(),
        content_type: String::from_utf8_lossy(answer.headers.get(CONTENT_TYPE).map_or(b"", |text| text.as_bytes()))
            .into_owned(),
        body: answer.body,
    });
    let Some(mut transaction) = cx.into_transaction() else {
        unreachable!("a context keeps the transaction it was made with");
    };
    // Asked only after a success: a failed statement makes Postgres refuse the question, and production rolls back then.
    if report.outcome == Outcome::Ok && !claims::is_marked(&mut transaction, token).await? {
        report.outcome = Outcome::Escaped;
        report.error = Some("the handler ended the transaction that was lent to it".to_owned());
    }
    let seen = inspect(&mut transaction).await;
    transaction.rollback().await?;
    Ok((report, seen))
}
