//! A handler that tells the test what it was given.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hookgate::{Context, Handler, HandlerError, Named, Raw};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use uuid::Uuid;

/// Far beyond what a run takes to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a witness was given.
pub(crate) struct Runs(UnboundedReceiver<Uuid>);

impl Runs {
    /// The delivery of the next run, as text, waited for.
    pub(crate) async fn next(&mut self) -> String {
        let run = tokio::time::timeout(PATIENCE, self.0.recv()).await;
        run.expect("the handler never ran").expect("the handler is there").to_string()
    }

    /// Of a run that was and that the test has not looked at.
    pub(crate) fn another(&mut self) -> Option<String> {
        self.0.try_recv().ok().map(|id| id.to_string())
    }
}

/// A handler that succeeds, and the ids of the deliveries it runs for, one a run.
pub(crate) fn witness(handler: Named) -> (Handler, Runs) {
    failing_first(handler, 0, || HandlerError::because("never"))
}

/// A witness whose first `failures` runs end badly.
pub(crate) fn failing_first(handler: Named, failures: u32, error: fn() -> HandlerError) -> (Handler, Runs) {
    let (told, runs) = unbounded_channel();
    let left = Arc::new(AtomicU32::new(failures));
    let handler = handler.run(move |_: Raw, cx: &mut Context| {
        let _ = told.send(cx.delivery().id());
        let fails = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        async move { if fails { Err(error()) } else { Ok(()) } }
    });
    (handler, Runs(runs))
}
