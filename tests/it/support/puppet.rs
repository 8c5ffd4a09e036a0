//! A handler whose every step the test decides, so that nothing in a test waits for time to pass.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hookgate::{Context, Handler, HandlerError, Named, Raw};
use sqlx::{AssertSqlSafe, Executor};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// Far beyond what any run here waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// Completes a handler that asks the test what to do, each time it runs.
pub(crate) fn puppet(handler: Named) -> (Handler, Calls) {
    let (called, calls) = unbounded_channel();
    let handler = handler.run(lending(move |raw, cx| {
        let called = called.clone();
        Box::pin(async move { obey(&called, &raw, cx).await })
    }));
    (handler, Calls(calls))
}

/// Tells the compiler that the future may borrow the context.
fn lending<F>(function: F) -> F
where
    F: for<'a> Fn(Raw, &'a mut Context) -> BoxFuture<'a, Result<(), HandlerError>> + Send + Sync + 'static,
{
    function
}

enum Order {
    Execute(String, oneshot::Sender<Result<(), String>>),
    Respond(u16, &'static str, Vec<u8>),
    End(Result<(), HandlerError>),
    Panic,
}

async fn obey(called: &UnboundedSender<Call>, raw: &Raw, cx: &mut Context) -> Result<(), HandlerError> {
    let (orders, mut given) = unbounded_channel();
    let call = Call {
        object: object_of(raw),
        delivery: cx.delivery().id(),
        attempt: cx.attempt(),
        sequence: cx.delivery().sequence(),
        replay: cx.delivery().is_replay(),
        key: cx.idempotency_key().into(),
        orders,
    };
    called.send(call).map_err(|_| HandlerError::because("the test has ended"))?;
    while let Some(order) = given.recv().await {
        match order {
            Order::Execute(sql, done) => {
                let result = cx.tx().await?.execute(AssertSqlSafe(sql)).await;
                let _ = done.send(result.map(|_| ()).map_err(|error| error.to_string()));
            }
            Order::Respond(status, content_type, body) => cx.respond(status, content_type, body)?,
            Order::End(result) => return result,
            Order::Panic => panic!("as the test told it"),
        }
    }
    Err(HandlerError::because("the test let go of the call"))
}

/// What a Stripe event is about.
fn object_of(raw: &Raw) -> String {
    let event: serde_json::Value = serde_json::from_slice(&raw.0).unwrap_or_default();
    event["data"]["object"]["id"].as_str().unwrap_or_default().to_owned()
}

/// The runs of a puppet, in the order they began.
#[derive(Debug)]
pub(crate) struct Calls(UnboundedReceiver<Call>);

impl Calls {
    /// The next run that begins.
    pub(crate) async fn next(&mut self) -> Call {
        let next = tokio::time::timeout(PATIENCE, self.0.recv()).await.expect("no run began");
        next.expect("the handler is registered")
    }

    /// Whether a run began that the test did not take.
    pub(crate) fn has_more(&mut self) -> bool {
        !self.0.is_empty()
    }

    /// The next run, if it began already.
    pub(crate) fn taken(&mut self) -> Option<Call> {
        self.0.try_recv().ok()
    }
}

/// One run that waits for orders.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) object: String,
    pub(crate) delivery: uuid::Uuid,
    pub(crate) attempt: u32,
    pub(crate) sequence: Option<i64>,
    pub(crate) replay: bool,
    pub(crate) key: Arc<str>,
    orders: UnboundedSender<Order>,
}

impl Call {
    /// Executes SQL through `cx.tx()`.
    pub(crate) async fn execute(&self, sql: &str) -> Result<(), String> {
        self.try_execute(sql).await.expect("the run goes on")
    }

    /// Executes SQL through `cx.tx()`; `None` if the run was cut off meanwhile.
    pub(crate) async fn try_execute(&self, sql: &str) -> Option<Result<(), String>> {
        let (done, result) = oneshot::channel();
        self.order(Order::Execute(sql.to_owned(), done));
        result.await.ok()
    }

    /// Writes the effect that [`super::work::effects`] counts.
    pub(crate) async fn book(&self) {
        let sql = format!("insert into effect (object, attempt) values ('{}', {})", self.object, self.attempt);
        self.execute(&sql).await.expect("write the effect");
    }

    /// Answers the request through `cx.respond`, once the run has ended well.
    pub(crate) fn respond(&self, status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) {
        self.order(Order::Respond(status, content_type, body.into()));
    }

    pub(crate) fn succeed(self) {
        self.order(Order::End(Ok(())));
    }

    pub(crate) fn fail(self) {
        self.end(HandlerError::because("as the test told it"));
    }

    pub(crate) fn end(self, error: HandlerError) {
        self.order(Order::End(Err(error)));
    }

    pub(crate) fn panic(self) {
        self.order(Order::Panic);
    }

    /// Fails silently where the run is over: a cancelled one hears nothing any more.
    fn order(&self, order: Order) {
        let _ = self.orders.send(order);
    }
}
