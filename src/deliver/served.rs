//! A handler this process has code for: its free places, and what keeps them empty for now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::bucket::Limit;
use super::share::{Grab, Shares};
use crate::breaker::{Breakers, Standing};
use crate::handler::Handler;
use crate::registry::Plan;

/// A handler this process has code for, and its free places.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) handler: Handler,
    places: Arc<Semaphore>,
    shares: Mutex<Shares>,
    /// Until when there is surely no token.
    dry_until: Mutex<Option<Instant>>,
}

/// What a handler may claim now.
#[derive(Debug)]
pub(super) enum Asking {
    This(Asked),
    /// Nothing, and perhaps again after this.
    NotNow(Option<Duration>),
}

impl Served {
    pub(super) fn new(handler: Handler, shares: [u32; 3]) -> Self {
        let places = Arc::new(Semaphore::new(handler.concurrency));
        let shares = Mutex::new(Shares::new(shares));
        Self { handler, places, shares, dry_until: Mutex::new(None) }
    }

    /// Takes all free places and shares them out.
    pub(super) fn ask(self: &Arc<Self>, plan: &Plan, breakers: &Breakers) -> Asking {
        let standing = self.handler.breaker.as_ref().map_or(Standing::Closed, |name| breakers.standing(name));
        if let Standing::Open(left) = standing {
            return Asking::NotNow(Some(left));
        }
        let dry = locked(&self.dry_until).map(|until| until.saturating_duration_since(Instant::now()));
        if let Some(left) = dry.filter(|left| !left.is_zero()) {
            return Asking::NotNow(Some(left));
        }
        let sources: Vec<(i32, u16)> = plan.of_handler(&self.handler.name).map(|s| (s.id, s.weight)).collect();
        let free = self.places.available_permits();
        let Ok(places) = Arc::clone(&self.places).try_acquire_many_owned(free as u32) else {
            return Asking::NotNow(None);
        };
        if free == 0 || sources.is_empty() {
            return Asking::NotNow(None);
        }
        let grabs = locked(&self.shares).ask(&sources, free);
        let is_probe = standing == Standing::Due;
        Asking::This(Asked { served: Arc::clone(self), places, sources, grabs, is_probe })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Places taken, and what for. Those that nothing was claimed for are free again when this is dropped.
#[derive(Debug)]
pub(super) struct Asked {
    served: Arc<Served>,
    places: OwnedSemaphorePermit,
    sources: Vec<(i32, u16)>,
    pub(super) grabs: Vec<Grab>,
    is_probe: bool,
}

/// What a claim brought one of those who asked.
#[derive(Debug, Default)]
pub(super) struct Got {
    /// Of each grab.
    pub(super) taken: Vec<i64>,
    /// The claim may have ended because all its places were taken.
    pub(super) is_full: bool,
    /// There is nothing to be had before this is over.
    pub(super) dry_for: Option<Duration>,
}

impl Asked {
    pub(super) fn places(&self) -> i64 {
        self.places.num_permits() as i64
    }

    pub(super) fn handler(&self) -> &Handler {
        &self.served.handler
    }

    /// The handler's rate.
    pub(super) fn limit(&self) -> Option<Limit> {
        self.served.handler.limit()
    }

    /// The breaker that this may be the one try of.
    pub(super) fn probes(&self) -> Option<&str> {
        self.served.handler.breaker.as_deref().filter(|_| self.is_probe)
    }

    pub(super) fn has(&self, subscription: i32) -> bool {
        self.sources.iter().any(|(id, _)| *id == subscription)
    }

    /// Notes what came of it, so that the next ask is fair.
    pub(super) fn got(&self, got: &Got) {
        locked(&self.served.shares).got(&self.sources, &self.grabs, &got.taken, got.is_full);
        *locked(&self.served.dry_until) = got.dry_for.and_then(|wait| Instant::now().checked_add(wait));
    }

    /// Takes one place out, to work in.
    pub(super) fn take_place(&mut self) -> Option<(Arc<Served>, OwnedSemaphorePermit)> {
        Some((Arc::clone(&self.served), self.places.split(1)?))
    }
}
