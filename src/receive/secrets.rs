//! The live secrets of a source: those of its configuration, and those that came in a handshake.

use std::sync::{Arc, PoisonError, RwLock};

use hookgate_providers::{MAX_SECRETS, Secret};

/// A source's secrets, which change while it receives.
#[derive(Debug)]
pub(crate) struct LiveSecrets {
    configured: Vec<Secret>,
    live: RwLock<Arc<Live>>,
}

/// The secrets at one moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Live {
    secrets: Vec<Secret>,
    /// What a delivery's row calls each of them.
    numbers: Vec<i16>,
}

impl LiveSecrets {
    pub(crate) fn new(configured: Vec<Secret>) -> Self {
        let live = RwLock::new(Arc::new(Live::of(&configured, Vec::new())));
        Self { configured, live }
    }

    /// As they are now; one request is judged by one such set, whatever changes meanwhile.
    pub(crate) fn now(&self) -> Arc<Live> {
        Arc::clone(&self.live.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts these paired ones, newest first, in the place of those before; whether that changed anything.
    pub(crate) fn pair(&self, paired: Vec<(i16, Secret)>) -> bool {
        let next = Live::of(&self.configured, paired);
        let mut live = self.live.write().unwrap_or_else(PoisonError::into_inner);
        let changed = **live != next;
        *live = Arc::new(next);
        changed
    }
}

impl Live {
    /// Configured ones first. Each costs a hash of the body, so the oldest paired ones beyond the limit are left out.
    fn of(configured: &[Secret], paired: Vec<(i16, Secret)>) -> Self {
        let places = (0..).zip(configured.iter().cloned());
        let (numbers, secrets) = places.chain(paired).take(MAX_SECRETS).unzip();
        Self { secrets, numbers }
    }

    pub(crate) fn secrets(&self) -> &[Secret] {
        &self.secrets
    }

    /// What a delivery's row calls the secret at this place: its place in the configuration, from 0, or its number from
    /// 100 where it was paired.
    pub(crate) fn number(&self, place: usize) -> i16 {
        self.numbers.get(place).copied().unwrap_or(i16::MAX)
    }

    /// Whether there is room for another one.
    pub(crate) fn has_room(&self) -> bool {
        self.secrets.len() < MAX_SECRETS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(n: i16) -> Secret {
        Secret::new(format!("secret-{n}")).unwrap()
    }

    #[test]
    fn paired_ones_stand_behind_the_configured_ones_and_keep_their_numbers() {
        let live = LiveSecrets::new(vec![secret(0), secret(1)]);
        let before = live.now();
        assert!(live.pair(vec![(101, secret(101)), (100, secret(100))]));
        assert!(!live.pair(vec![(101, secret(101)), (100, secret(100))]), "nothing new");
        let now = live.now();
        assert_eq!(now.secrets(), [secret(0), secret(1), secret(101), secret(100)]);
        assert_eq!((0..4).map(|place| now.number(place)).collect::<Vec<_>>(), [0, 1, 101, 100]);
        assert_eq!(before.secrets().len(), 2, "whoever judges goes on with what it began with");
        assert!(live.pair(Vec::new()));
        assert_eq!(live.now(), before);
    }

    #[test]
    fn never_more_are_live_than_verification_tries() {
        let live = LiveSecrets::new(vec![secret(0)]);
        live.pair((100..130).rev().map(|n| (n, secret(n))).collect());
        let now = live.now();
        assert_eq!((now.secrets().len(), now.number(1), now.has_room()), (MAX_SECRETS, 129, false));
    }
}
