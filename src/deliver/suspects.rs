//! Jobs whose worker vanished while they ran, one at a time in a process.
//!
//! When a process dies, all that ran in it are put back with one rescue more: one of them may have killed it, and nobody saw
//! which. Whatever such suspects run beside in the next process, it is never another suspect. So the one that kills is the
//! only suspect when it kills again, and those that ran beside it the first time are through before the third.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// This process's one place for a suspect.
#[derive(Debug)]
pub(crate) struct Suspects(Arc<Semaphore>);

impl Default for Suspects {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// The right to run a suspect. Given back when it is dropped, however the run ends.
#[derive(Debug)]
pub(crate) struct SuspectPlace(#[expect(dead_code, reason = "held for its drop")] OwnedSemaphorePermit);

impl Suspects {
    /// The place, if no suspect runs in this process.
    pub(crate) fn place(&self) -> Option<SuspectPlace> {
        Arc::clone(&self.0).try_acquire_owned().ok().map(SuspectPlace)
    }
}
