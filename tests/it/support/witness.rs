//! A handler that tells the test what it was given.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hookgate::{Context, Handler, HandlerError, Named, Raw};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use uuid::Uuid;

/// A handler that succeeds, and the ids of the deliveries it runs for, one a run.
pub(crate) fn witness(handler: Named) -> (Handler, UnboundedReceiver<Uuid>) {
    failing_first(handler, 0, || HandlerError::because("never"))
}

/// A witness whose first `failures` runs end badly.
pub(crate) fn failing_first(
    handler: Named,
    failures: u32,
    error: fn() -> HandlerError,
) -> (Handler, UnboundedReceiver<Uuid>) {
    let (told, runs) = unbounded_channel();
    let left = Arc::new(AtomicU32::new(failures));
    let handler = handler.run(move |_: Raw, cx: &mut Context| {
        let _ = told.send(cx.delivery().id());
        let fails = left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        async move { if fails { Err(error()) } else { Ok(()) } }
    });
    (handler, runs)
}
