//! A dependency that a Rust handler names: refused calls cost no attempt, and one call tries it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::{Context, Handler, HandlerError, Order, Raw, on};

use super::breakers::{let_it_be_tried, state};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{database_with_effects, execute, jobs, last_error, number, unfinished};

const BREAKER: &str = "breaker = { failures = 2, within = '1h', open_for = '1h', longest = '10h' }\n";

/// What stands for another system.
#[derive(Debug, Clone, Default)]
struct Ledger(Arc<(AtomicBool, AtomicUsize)>);

impl Ledger {
    async fn book(&self) -> Result<(), std::io::Error> {
        self.0.1.fetch_add(1, Ordering::SeqCst);
        if self.0.0.load(Ordering::SeqCst) { Ok(()) } else { Err(std::io::Error::other("the ledger is down")) }
    }

    fn is_up(&self, up: bool) {
        self.0.0.store(up, Ordering::SeqCst);
    }

    fn calls(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }
}

fn handler(ledger: &Ledger, order: Order) -> Handler {
    let ledger = ledger.clone();
    let named =
        on("stripe", &["*"]).name("credit").order(order).concurrency(1).backoff(Duration::ZERO, 1, Duration::ZERO);
    named.run(lending(move |_, cx| {
        let ledger = ledger.clone();
        Box::pin(async move { cx.dependency("ledger").call(|| async { ledger.book().await }).await })
    }))
}

fn lending<F>(function: F) -> F
where
    F: for<'a> Fn(Raw, &'a mut Context) -> futures_util::future::BoxFuture<'a, Result<(), HandlerError>>
        + Send
        + Sync
        + 'static,
{
    function
}

#[tokio::test]
async fn a_call_that_is_refused_costs_no_attempt_and_keeps_its_place() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let ledger = Ledger::default();
        let gateway = start(&database, BREAKER, vec![handler(&ledger, order)]).await;
        for n in 0..3 {
            Signed::stripe_event(&format!("evt_{n}"), "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        }
        eventually("it opens", "open".to_owned(), async || state(&pool).await).await;
        let refused = "select count(*) from hookgate.attempts where outcome = 'snoozed'";
        eventually("a call is refused", true, async || number(&pool, refused).await > 0).await;
        assert!(last_error(&pool).await.contains("`ledger` is left alone"), "{}", last_error(&pool).await);
        assert_eq!(ledger.calls(), 2);
        let waiting = jobs(&pool).await;
        assert_eq!(waiting.iter().map(|job| job.failures).sum::<i32>(), 2, "{waiting:?}");
        let in_lane = matches!(order, Order::Lane);
        assert!(waiting.iter().all(|job| job.in_lane == in_lane && job.snoozed_ms == 0), "{waiting:?}");
        // As long as the breaker is open.
        assert!(waiting.iter().any(|job| job.state == "waiting" && job.due_in > 3_000.0), "{waiting:?}");

        ledger.is_up(true);
        let_it_be_tried(&pool).await;
        // The worker hears of it within a second; whoever comes before that is refused once more.
        eventually("all are done", 0, async || {
            execute(&pool, "update hookgate.lanes set due = now() where state = 'ready'").await;
            execute(&pool, "update hookgate.jobs set due = now() where state = 'waiting'").await;
            unfinished(&pool).await
        })
        .await;
        assert_eq!(state(&pool).await, "closed");
        assert_eq!(ledger.calls(), 5);
        assert_eq!(number(&pool, "select count(*) from hookgate.attempts where out_of_order").await, 0);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_call_that_the_timeout_cuts_off_counts_as_failed_and_a_permanent_error_does_not() {
    let (database, pool) = database_with_effects().await;
    let named = |name: &str| on("stripe", &["*"]).name(name).attempts(50).backoff(Duration::ZERO, 1, Duration::ZERO);
    let slow = named("slow").timeout(Duration::from_millis(50)).run(lending(|_, cx| {
        Box::pin(async move {
            let never = std::future::pending::<Result<(), HandlerError>>();
            cx.dependency("slow").call(|| never).await
        })
    }));
    let refused = named("refused").run(lending(|_, cx| {
        Box::pin(async move {
            let refusal = HandlerError::because("no such customer").permanent();
            cx.dependency("strict").call(|| async { Err::<(), _>(refusal) }).await
        })
    }));
    let gateway = start(&database, BREAKER, vec![slow, refused]).await;
    for n in 0..3 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    }
    let open = "select count(*) from hookgate.breakers where name = 'slow' and state = 'open'";
    eventually("the slow one opens", 1, async || number(&pool, open).await).await;
    eventually("three are dead", 3, async || number(&pool, "select count(*) from hookgate.dead").await).await;
    assert_eq!(number(&pool, "select count(*) from hookgate.breakers where name = 'strict'").await, 0);
    gateway.shutdown().await;
}
