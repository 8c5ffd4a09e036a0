//! What was fetched and when it was tried: a pure account of it, with the time as an argument.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Shared};
use tokio::time::Instant;

use super::Unavailable;
use super::outbound::Fetched;

/// Entries at most: with the largest answers a few dozen MB.
const ROOM: usize = 128;
/// How long a failure stands before the host is tried again.
const FAILED: Duration = Duration::from_secs(10);
/// How often something fresh is fetched again because a request named a key that is not in it.
const RENEWED: Duration = Duration::from_secs(60);

/// A fetch under way, awaited by many.
pub(super) type Flight = Shared<BoxFuture<'static, Result<Arc<[u8]>, Unavailable>>>;

/// What is there for an id.
#[derive(Debug)]
pub(super) enum Found {
    /// To be used.
    Fresh(Arc<[u8]>),
    /// To be used, and fetched again on the side if so said.
    Stale { bytes: Arc<[u8]>, refresh: bool },
    /// To be waited for.
    Awaited(Flight),
    /// Tried a moment ago, in vain.
    Failed,
    /// To be fetched.
    Nothing,
}

#[derive(Debug, Default)]
pub(super) struct Shelf(HashMap<String, Entry>);

#[derive(Debug)]
struct Entry {
    kept: Option<Kept>,
    flight: Option<Flight>,
    tried: Instant,
    failed: Option<Instant>,
    used: Instant,
}

#[derive(Debug)]
struct Kept {
    bytes: Arc<[u8]>,
    fresh_until: Instant,
    usable_until: Instant,
}

impl Entry {
    /// The fetch under way. One that ended without landing has panicked and is none.
    fn flight(&self) -> Option<&Flight> {
        self.flight.as_ref().filter(|flight| flight.peek().is_none())
    }
}

impl Shelf {
    pub(super) fn look(&mut self, id: &str, now: Instant) -> Found {
        let Some(entry) = self.0.get_mut(id) else { return Found::Nothing };
        entry.used = now;
        let failed = entry.failed.is_some_and(|at| now < at + FAILED);
        match &entry.kept {
            Some(kept) if now < kept.fresh_until => return Found::Fresh(Arc::clone(&kept.bytes)),
            Some(kept) if now < kept.usable_until => {
                let refresh = !failed && entry.flight().is_none();
                return Found::Stale { bytes: Arc::clone(&kept.bytes), refresh };
            }
            _ => {}
        }
        match entry.flight() {
            Some(flight) => Found::Awaited(flight.clone()),
            None if failed => Found::Failed,
            None => Found::Nothing,
        }
    }

    /// Whether something may be fetched anew although it is there.
    pub(super) fn may_renew(&self, id: &str, now: Instant) -> bool {
        self.0.get(id).is_none_or(|entry| entry.flight().is_none() && now >= entry.tried + RENEWED)
    }

    /// Makes room for an entry; false: there is none. What failed goes before what was fetched, and what was not used
    /// for long before the rest, so strangers who ask for what does not exist push nothing out.
    pub(super) fn make_room(&mut self, id: &str) -> bool {
        if self.0.len() < ROOM || self.0.contains_key(id) {
            return true;
        }
        let idle = self.0.iter().filter(|(_, entry)| entry.flight().is_none());
        let Some(last) = idle.min_by_key(|(_, entry)| (entry.kept.is_some(), entry.used)).map(|(id, _)| id.clone())
        else {
            return false;
        };
        self.0.remove(&last);
        true
    }

    pub(super) fn departed(&mut self, id: String, flight: Flight, now: Instant) {
        let entry =
            self.0.entry(id).or_insert_with(|| Entry { kept: None, flight: None, tried: now, failed: None, used: now });
        entry.flight = Some(flight);
        entry.tried = now;
    }

    /// Puts the outcome of a fetch down; what was kept before outlives a failure.
    pub(super) fn landed(
        &mut self,
        id: &str,
        fetched: Option<Fetched>,
        now: Instant,
    ) -> Result<Arc<[u8]>, Unavailable> {
        let entry = self.0.get_mut(id).ok_or(Unavailable)?;
        entry.flight = None;
        let Some(fetched) = fetched else {
            entry.failed = Some(now);
            return Err(Unavailable);
        };
        let bytes: Arc<[u8]> = fetched.bytes.into();
        entry.failed = None;
        entry.kept = Some(Kept {
            bytes: Arc::clone(&bytes),
            fresh_until: now + fetched.fresh_for,
            usable_until: now + fetched.usable_for,
        });
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const SECOND: Duration = Duration::from_secs(1);

    fn under_way() -> Flight {
        std::future::pending().boxed().shared()
    }

    fn fetch(shelf: &mut Shelf, id: &str, answer: Option<&str>, now: Instant) {
        assert!(shelf.make_room(id));
        shelf.departed(id.to_owned(), under_way(), now);
        let fetched = answer.map(|text| Fetched { bytes: text.into(), fresh_for: HOUR, usable_for: 25 * HOUR });
        let _ = shelf.landed(id, fetched, now);
    }

    fn look(shelf: &mut Shelf, id: &str, now: Instant) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match shelf.look(id, now) {
            Found::Fresh(bytes) => format!("fresh {}", text(&bytes)),
            Found::Stale { bytes, refresh: true } => format!("stale {}, refresh", text(&bytes)),
            Found::Stale { bytes, refresh: false } => format!("stale {}", text(&bytes)),
            Found::Awaited(_) => "awaited".to_owned(),
            Found::Failed => "failed".to_owned(),
            Found::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn a_key_is_fresh_then_stale_then_gone() {
        let (mut shelf, t0) = (Shelf::default(), Instant::now());
        assert_eq!(look(&mut shelf, "k", t0), "nothing");
        fetch(&mut shelf, "k", Some("v1"), t0);
        assert_eq!(look(&mut shelf, "k", t0 + HOUR - SECOND), "fresh v1");
        assert_eq!(look(&mut shelf, "k", t0 + HOUR), "stale v1, refresh");
        assert_eq!(look(&mut shelf, "k", t0 + 25 * HOUR - SECOND), "stale v1, refresh");
        assert_eq!(look(&mut shelf, "k", t0 + 25 * HOUR), "nothing");
        fetch(&mut shelf, "k", Some("v2"), t0 + 2 * HOUR);
        assert_eq!(look(&mut shelf, "k", t0 + 2 * HOUR), "fresh v2");
    }

    #[test]
    fn a_failure_stands_for_seconds_and_takes_nothing_away() {
        let (mut shelf, t0) = (Shelf::default(), Instant::now());
        fetch(&mut shelf, "k", None, t0);
        assert_eq!(look(&mut shelf, "k", t0 + 9 * SECOND), "failed");
        assert_eq!(look(&mut shelf, "k", t0 + 10 * SECOND), "nothing");
        fetch(&mut shelf, "k", Some("v1"), t0);
        fetch(&mut shelf, "k", None, t0 + HOUR);
        assert_eq!(look(&mut shelf, "k", t0 + HOUR + SECOND), "stale v1", "the host was asked a moment ago");
        assert_eq!(look(&mut shelf, "k", t0 + HOUR + 10 * SECOND), "stale v1, refresh");
    }

    #[test]
    fn one_flight_serves_all_and_one_that_crashed_serves_none() {
        let (mut shelf, t0) = (Shelf::default(), Instant::now());
        shelf.departed("k".to_owned(), under_way(), t0);
        assert_eq!(look(&mut shelf, "k", t0), "awaited");
        assert!(!shelf.may_renew("k", t0 + HOUR));
        let crashed = std::future::ready(Err(Unavailable)).boxed().shared();
        let _ = crashed.clone().now_or_never();
        shelf.departed("k".to_owned(), crashed, t0);
        assert_eq!(look(&mut shelf, "k", t0), "nothing");
    }

    #[test]
    fn what_is_fresh_is_renewed_once_a_minute_at_most() {
        let (mut shelf, t0) = (Shelf::default(), Instant::now());
        fetch(&mut shelf, "k", Some("v1"), t0);
        assert!(!shelf.may_renew("k", t0 + 59 * SECOND));
        assert!(shelf.may_renew("k", t0 + 60 * SECOND));
        fetch(&mut shelf, "k", None, t0 + 60 * SECOND);
        assert!(!shelf.may_renew("k", t0 + 119 * SECOND), "a failure counts too");
    }

    #[test]
    fn room_is_bounded_and_failures_push_nothing_out() {
        let (mut shelf, t0) = (Shelf::default(), Instant::now());
        fetch(&mut shelf, "honest", Some("v"), t0);
        for n in 0..10 * ROOM {
            fetch(&mut shelf, &format!("bogus {n}"), None, t0 + SECOND);
        }
        assert_eq!(shelf.0.len(), ROOM);
        assert_eq!(look(&mut shelf, "honest", t0 + SECOND), "fresh v");
        for n in 0..ROOM {
            assert!(shelf.make_room(&format!("slow {n}")));
            shelf.departed(format!("slow {n}"), under_way(), t0 + SECOND);
        }
        assert!(!shelf.make_room("one more"), "nothing that others wait for is dropped");
    }
}
