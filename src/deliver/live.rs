//! Which claims this process knows of. What the database says we hold beyond them is nobody's work: a claim whose COMMIT
//! took place without our hearing of it, or one whose task ended before it could say so.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The numbers of claims in use, each with how many lanes and jobs are worked under it.
#[derive(Debug, Default)]
pub(crate) struct Live {
    next: AtomicI64,
    in_use: Mutex<HashMap<i64, usize>>,
}

impl Live {
    /// A number never used before. It is live from now on, so before the database can know of it.
    pub(crate) fn number(self: &Arc<Self>) -> Number {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        Number::new(n, Arc::clone(self))
    }

    /// Numbers in use at this moment.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        self.locked().keys().copied().collect()
    }

    /// A number that is not live any more never is again.
    pub(crate) fn has(&self, n: i64) -> bool {
        self.locked().contains_key(&n)
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<i64, usize>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A number in use. It stops being live with its last clone, however that ends: a task that panics drops it too.
#[derive(Debug)]
pub(crate) struct Number {
    n: i64,
    live: Arc<Live>,
}

impl Number {
    fn new(n: i64, live: Arc<Live>) -> Self {
        *live.locked().entry(n).or_default() += 1;
        Self { n, live }
    }

    pub(crate) fn get(&self) -> i64 {
        self.n
    }
}

impl Clone for Number {
    fn clone(&self) -> Self {
        Self::new(self.n, Arc::clone(&self.live))
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        let mut in_use = self.live.locked();
        if let Some(count) = in_use.get_mut(&self.n) {
            *count -= 1;
            if *count == 0 {
                in_use.remove(&self.n);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_live_until_its_last_clone_is_gone() {
        let live = Arc::new(Live::default());
        let (first, second) = (live.number(), live.number());
        let n = first.get();
        assert_ne!(n, second.get());
        let also = first.clone();
        drop(first);
        assert!(live.has(n));
        let panicking = std::thread::spawn(move || {
            let _held = also;
            panic!("as a task may");
        });
        panicking.join().expect_err("a panic");
        assert!(!live.has(n));
        assert_eq!(live.numbers(), [second.get()]);
    }
}
