//! Keys that a provider publishes and changes: fetched, kept while fresh, and kept on a while longer if its host fails.
//!
//! Promises: one fetch at a time for one key, whoever waits for it; a fetch ends within seconds and is bounded in size;
//! only public hosts are reached, over https, without redirects; a key that was there once outlives its host's absence for
//! as long as its provider lets it be used, a day at most; memory is bounded, and failures never push out what was fetched. Senders decide when something is fetched, so
//! nothing here is fetched for a request before `hookgate-providers` has checked all it can without the key.

mod freshness;
mod outbound;
mod public;
mod shelf;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use hookgate_providers::KeyRequest;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::telemetry;
use outbound::Wanted;
pub(crate) use outbound::{Failure, Outbound, Seam};
use shelf::{Flight, Found, Shelf};

/// Fetches at once: strangers may ask for keys of their choice on a provider's hosts.
const AT_ONCE: usize = 16;

/// A key can't be had now. Our trouble, not the sender's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unavailable;

/// The keys this process has fetched.
#[derive(Debug)]
pub(crate) struct KeyStore {
    outbound: Outbound,
    shelf: Mutex<Shelf>,
    slots: Arc<Semaphore>,
}

impl KeyStore {
    pub(crate) fn new(outbound: Outbound) -> Arc<Self> {
        Arc::new(Self { outbound, shelf: Mutex::default(), slots: Arc::new(Semaphore::new(AT_ONCE)) })
    }

    /// The answer to a request, from the shelf or from its host.
    pub(crate) async fn get(self: &Arc<Self>, request: &KeyRequest) -> Result<Arc<[u8]>, Unavailable> {
        self.obtain(Wanted::of(request)).await
    }

    /// Fetches anew what turned out not to hold the key that was wanted, unless that was tried within the last minute:
    /// anybody can name a key that does not exist. `None`: not tried, or not there.
    pub(crate) async fn renew(self: &Arc<Self>, request: &KeyRequest) -> Option<Arc<[u8]>> {
        self.obtain_anew(Wanted::of(request)).await
    }

    /// Fetches a URL once for its effect.
    pub(crate) async fn visit(&self, url: &str) -> Result<(), Failure> {
        let _slot = self.slots.try_acquire().map_err(|_| Failure::Busy)?;
        self.outbound.fetch(&Wanted::visit(url)).await.map(drop)
    }

    async fn obtain(self: &Arc<Self>, wanted: Wanted) -> Result<Arc<[u8]>, Unavailable> {
        let flight = {
            let mut shelf = self.shelf();
            match shelf.look(&wanted.id, Instant::now()) {
                Found::Fresh(bytes) => return Ok(bytes),
                Found::Stale { bytes, refresh } => {
                    if refresh {
                        // Whoever asks has its answer already; what becomes of this is for those who come later.
                        let _ = self.launch(&mut shelf, wanted);
                    }
                    return Ok(bytes);
                }
                Found::Awaited(flight) => flight,
                Found::Failed => return Err(Unavailable),
                Found::Nothing => self.launch(&mut shelf, wanted)?,
            }
        };
        flight.await
    }

    async fn obtain_anew(self: &Arc<Self>, wanted: Wanted) -> Option<Arc<[u8]>> {
        let flight = {
            let mut shelf = self.shelf();
            if !shelf.may_renew(&wanted.id, Instant::now()) {
                return None;
            }
            self.launch(&mut shelf, wanted).ok()?
        };
        flight.await.ok()
    }

    /// Starts a fetch that goes on when its asker goes away: others wait for it too. The shelf stays locked until the
    /// flight is on it, so it can't land before.
    fn launch(self: &Arc<Self>, shelf: &mut Shelf, wanted: Wanted) -> Result<Flight, Unavailable> {
        let slot = Arc::clone(&self.slots).try_acquire_owned().map_err(|_| Unavailable)?;
        if !shelf.make_room(&wanted.id) {
            return Err(Unavailable);
        }
        let (store, id) = (Arc::clone(self), wanted.id.clone());
        let fetch = tokio::spawn(async move {
            let fetched = store.outbound.fetch(&wanted).await;
            drop(slot);
            let outcome = if fetched.is_ok() { "fetched" } else { "failed" };
            metrics::counter!(telemetry::KEY_FETCHES, "outcome" => outcome).increment(1);
            if let Err(failure) = &fetched {
                tracing::warn!(host = wanted.host(), error = failure as &dyn std::error::Error, "key.fetch_failed");
            }
            store.shelf().landed(&wanted.id, fetched.ok(), Instant::now())
        });
        let flight = async move { fetch.await.unwrap_or(Err(Unavailable)) }.boxed().shared();
        shelf.departed(id, flight.clone(), Instant::now());
        Ok(flight)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        // A panic elsewhere leaves a shelf that is still right: each change is whole.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
