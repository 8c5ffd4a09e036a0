//! Shares a handler's free places out among its sources, so that the backlog of one doesn't keep the others waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::handler::Handler;
use crate::registry::Plan;

/// A handler this process has code for, and its free places.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) handler: Handler,
    places: Arc<Semaphore>,
    /// Which of its subscriptions is asked for first. Moves on only when one was: a look that finds no place free would
    /// otherwise give the same source the first place each time.
    turn: AtomicUsize,
}

impl Served {
    pub(super) fn new(handler: Handler) -> Self {
        let places = Arc::new(Semaphore::new(handler.concurrency));
        Self { handler, places, turn: AtomicUsize::new(0) }
    }

    /// In how many [`Self::ask`]s each subscription has its turn. None while no place is free.
    pub(super) fn rounds(&self, plan: &Plan) -> usize {
        match self.places.available_permits() {
            0 => 0,
            free => plan.of_handler(&self.handler.name).count().div_ceil(free),
        }
    }

    /// Takes all free places, each subscription's share of them. With fewer places than subscriptions those left out
    /// come first the next time; with enough, the one who takes the remainder changes.
    pub(super) fn ask(self: &Arc<Self>, plan: &Plan) -> Vec<Asked> {
        let subscriptions: Vec<i32> = plan.of_handler(&self.handler.name).map(|s| s.id).collect();
        let first = self.turn.load(Ordering::Relaxed);
        let mut asked = Vec::new();
        for (left, at) in (1..=subscriptions.len()).rev().zip(first..) {
            let share = self.places.available_permits().div_ceil(left) as u32;
            let Ok(places) = Arc::clone(&self.places).try_acquire_many_owned(share.max(1)) else {
                break;
            };
            let subscription = subscriptions[at % subscriptions.len()];
            asked.push(Asked { served: Arc::clone(self), subscription, places });
        }
        let step = if asked.len() < subscriptions.len() { asked.len() } else { 1 };
        self.turn.store(first.wrapping_add(step), Ordering::Relaxed);
        asked
    }
}

/// Places taken for one subscription. Those that nothing was claimed for are free again when this is dropped.
#[derive(Debug)]
pub(super) struct Asked {
    served: Arc<Served>,
    pub(super) subscription: i32,
    places: OwnedSemaphorePermit,
}

impl Asked {
    /// Whose work, and how much of it.
    pub(super) fn wanted(&self) -> (i32, i64) {
        (self.subscription, self.places.num_permits() as i64)
    }

    /// Takes one place out, to work in.
    pub(super) fn take_place(&mut self) -> Option<(Arc<Served>, OwnedSemaphorePermit)> {
        Some((Arc::clone(&self.served), self.places.split(1)?))
    }
}
