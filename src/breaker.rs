//! The life of a circuit breaker, told once and purely. One belongs to a destination or a dependency, and all gateways
//! share it through its row.
//!
//! ```text
//! closed    → open       so many failures in a row, or it said when to come back
//! open      → half_open  its time is over and a claim takes the one try
//! half_open → half_open  that try told nothing, or its claim is lost: the next one
//! half_open → closed     the try succeeded
//! half_open → open       the try failed: longer than before
//! any       → open, closed  an operator's order
//! ```
//!
//! Nothing here reads a clock, a database or the environment. `breaker/shared.rs` carries it out.

pub(crate) mod orders;
mod shared;

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::job::Outcome;
use crate::store::Token;
pub(crate) use shared::{Breakers, Standing};

/// When it opens and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Failures in a row that open it.
    pub(crate) failures: u32,
    /// The longest these may take.
    pub(crate) within: Duration,
    /// How long it is open at first.
    pub(crate) open_for: Duration,
    /// What that never exceeds.
    pub(crate) longest: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    #[default]
    Closed,
    Open,
    HalfOpen,
}

impl State {
    /// The name used in the database, the API and the metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

/// Whose claim may try it, and until when that is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Probe {
    pub(crate) by: Token,
    pub(crate) until: DateTime<Utc>,
}

/// What an attempt says about its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// It is there, whatever it thinks of this event.
    Succeeded,
    /// It is not, or it can't.
    Failed {
        /// The wait it asked for itself.
        unavailable_for: Option<Duration>,
    },
    /// Nothing.
    Unclear,
}

/// What a forward's attempt says about its destination. A 4xx is the event's fault; 429 is "not so fast".
pub(crate) fn judge(outcome: &Outcome, status: Option<u16>) -> Report {
    match (status, outcome) {
        (Some(503), Outcome::Failed { retry_after }) => {
            Report::Failed { unavailable_for: retry_after.filter(|wait| !wait.is_zero()) }
        }
        (Some(status), _) if status >= 500 || status == 429 => Report::Failed { unavailable_for: None },
        (Some(_), _) => Report::Succeeded,
        (None, Outcome::Failed { .. } | Outcome::Timeout) => Report::Failed { unavailable_for: None },
        (None, _) => Report::Unclear,
    }
}

/// A breaker's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Breaker {
    pub(crate) state: State,
    /// In a row, while closed.
    pub(crate) failures: u32,
    /// When the first of them was.
    pub(crate) counting_since: Option<DateTime<Utc>>,
    /// Since it was closed last.
    pub(crate) openings: u32,
    pub(crate) opened_at: Option<DateTime<Utc>>,
    pub(crate) open_until: Option<DateTime<Utc>>,
    pub(crate) closed_at: Option<DateTime<Utc>>,
    pub(crate) probe: Option<Probe>,
}

impl Breaker {
    /// What a report makes of it. While it is not closed only the one try counts: what else ends now began before it
    /// opened.
    pub(crate) fn after(self, report: Report, by: Token, now: DateTime<Utc>, policy: &Policy) -> Self {
        let is_probe = self.probe.is_some_and(|probe| probe.by == by);
        match (self.state, report) {
            (State::Closed, Report::Succeeded) => Self { failures: 0, counting_since: None, ..self },
            (State::Closed, Report::Failed { unavailable_for }) => self.failed(unavailable_for, now, policy),
            (State::HalfOpen, Report::Succeeded) if is_probe => self.closed(now),
            (State::HalfOpen, Report::Failed { unavailable_for }) if is_probe => {
                self.opened(growing(self.openings, policy).max(asked(unavailable_for, policy)), now)
            }
            (State::HalfOpen, Report::Unclear) if is_probe => Self { probe: None, ..self },
            _ => self,
        }
    }

    fn failed(self, unavailable_for: Option<Duration>, now: DateTime<Utc>, policy: &Policy) -> Self {
        let counting = self.counting_since.filter(|since| passed(*since, now) <= policy.within);
        let failures = counting.map_or(1, |_| self.failures.saturating_add(1));
        let counted = Self { failures, counting_since: counting.or(Some(now)), ..self };
        match unavailable_for {
            Some(_) => counted.opened(asked(unavailable_for, policy), now),
            None if failures >= policy.failures => counted.opened(growing(self.openings, policy), now),
            None => counted,
        }
    }

    /// The one try, if its time has come and nobody else has it.
    pub(crate) fn probed(self, by: Token, until: DateTime<Utc>, now: DateTime<Utc>) -> Option<Self> {
        let is_due = self.state != State::Closed && self.open_until.is_none_or(|until| until <= now);
        let is_free = self.probe.is_none_or(|probe| probe.until <= now);
        (is_due && is_free).then_some(Self { state: State::HalfOpen, probe: Some(Probe { by, until }), ..self })
    }

    /// Open from now on for this long.
    pub(crate) fn opened(self, length: Duration, now: DateTime<Utc>) -> Self {
        Self {
            state: State::Open,
            openings: self.openings.saturating_add(1),
            opened_at: Some(now),
            open_until: Some(later(now, length)),
            probe: None,
            ..self
        }
    }

    /// Closed from now on.
    pub(crate) fn closed(self, now: DateTime<Utc>) -> Self {
        Self { closed_at: Some(now), opened_at: self.opened_at, ..Self::default() }
    }
}

fn growing(openings: u32, policy: &Policy) -> Duration {
    policy.open_for.saturating_mul(2u32.saturating_pow(openings)).min(policy.longest)
}

fn asked(unavailable_for: Option<Duration>, policy: &Policy) -> Duration {
    unavailable_for.unwrap_or_default().min(policy.longest)
}

fn passed(since: DateTime<Utc>, now: DateTime<Utc>) -> Duration {
    (now - since).to_std().unwrap_or_default()
}

/// A length beyond the calendar ends with it.
pub(crate) fn later(now: DateTime<Utc>, length: Duration) -> DateTime<Utc> {
    let length = chrono::TimeDelta::from_std(length).ok();
    length.and_then(|length| now.checked_add_signed(length)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const POLICY: Policy = Policy {
        failures: 3,
        within: Duration::from_secs(60),
        open_for: Duration::from_secs(30),
        longest: Duration::from_secs(100),
    };
    const FAILED: Report = Report::Failed { unavailable_for: None };

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    fn claim(n: i64) -> Token {
        Token { worker: Uuid::from_u128(7), n }
    }

    fn open() -> Breaker {
        (0..3).fold(Breaker::default(), |breaker, n| breaker.after(FAILED, claim(n), at(0), &POLICY))
    }

    fn seconds_open(breaker: Breaker) -> i64 {
        (breaker.open_until.unwrap() - breaker.opened_at.unwrap()).num_seconds()
    }

    #[test]
    fn it_opens_after_so_many_failures_in_a_row() {
        let two = Breaker::default().after(FAILED, claim(1), at(0), &POLICY).after(FAILED, claim(2), at(1), &POLICY);
        assert_eq!((two.state, two.failures), (State::Closed, 2));
        let after_success =
            two.after(Report::Succeeded, claim(3), at(2), &POLICY).after(FAILED, claim(4), at(3), &POLICY);
        assert_eq!((after_success.state, after_success.failures), (State::Closed, 1), "in a row");
        let unclear = two.after(Report::Unclear, claim(3), at(2), &POLICY);
        assert_eq!(unclear, two, "what tells nothing changes nothing");
        let three = two.after(FAILED, claim(3), at(60), &POLICY);
        assert_eq!((three.state, three.open_until), (State::Open, Some(at(90))));
    }

    #[test]
    fn failures_that_are_far_apart_do_not_add_up() {
        let two = Breaker::default().after(FAILED, claim(1), at(0), &POLICY).after(FAILED, claim(2), at(1), &POLICY);
        let late = two.after(FAILED, claim(3), at(61), &POLICY);
        assert_eq!((late.state, late.failures, late.counting_since), (State::Closed, 1, Some(at(61))));
    }

    #[test]
    fn who_says_when_to_come_back_is_left_alone_at_once() {
        let unavailable = |s| Report::Failed { unavailable_for: Some(Duration::from_secs(s)) };
        let breaker = Breaker::default().after(unavailable(7), claim(1), at(0), &POLICY);
        assert_eq!((breaker.state, seconds_open(breaker)), (State::Open, 7));
        let breaker = Breaker::default().after(unavailable(u64::MAX), claim(1), at(0), &POLICY);
        assert_eq!(seconds_open(breaker), 100, "at most the longest");
    }

    #[test]
    fn of_all_who_come_when_its_time_is_over_one_tries() {
        let breaker = open();
        assert_eq!(breaker.probed(claim(9), at(40), at(29)), None, "too early");
        let tried = breaker.probed(claim(9), at(65), at(30)).unwrap();
        assert_eq!(tried.state, State::HalfOpen);
        assert_eq!(tried.probed(claim(10), at(70), at(64)), None, "one has it");
        let replaced = tried.probed(claim(10), at(100), at(65)).unwrap();
        assert_eq!(replaced.probe.unwrap().by, claim(10), "the first is taken for lost");
        assert_eq!(replaced.after(Report::Succeeded, claim(9), at(66), &POLICY), replaced, "and is not heard any more");
        assert_eq!(Breaker::default().probed(claim(1), at(1), at(0)), None, "a closed one needs no try");
    }

    #[test]
    fn the_try_decides_and_nobody_else() {
        let tried = open().probed(claim(9), at(65), at(30)).unwrap();
        for late in [Report::Succeeded, FAILED, Report::Unclear] {
            assert_eq!(tried.after(late, claim(2), at(31), &POLICY), tried, "it began before");
            assert_eq!(open().after(late, claim(2), at(31), &POLICY), open(), "it began before");
        }
        let closed = tried.after(Report::Succeeded, claim(9), at(31), &POLICY);
        assert_eq!((closed.state, closed.failures, closed.openings), (State::Closed, 0, 0));
        assert_eq!((closed.closed_at, closed.open_until, closed.probe), (Some(at(31)), None, None));
        let unclear = tried.after(Report::Unclear, claim(9), at(31), &POLICY);
        assert!(unclear.probed(claim(10), at(70), at(31)).is_some(), "the next may try at once");
    }

    #[test]
    fn each_try_that_fails_doubles_the_time_up_to_the_longest() {
        let mut breaker = open();
        let mut lengths = vec![seconds_open(breaker)];
        for n in 0..4 {
            let now = breaker.open_until.unwrap();
            let tried = breaker.probed(claim(n), later(now, SECOND), now).unwrap();
            breaker = tried.after(FAILED, claim(n), now, &POLICY);
            lengths.push(seconds_open(breaker));
        }
        assert_eq!(lengths, [30, 60, 100, 100, 100]);
        let closed = breaker.closed(at(0));
        let again = (0..3).fold(closed, |breaker, n| breaker.after(FAILED, claim(n), at(0), &POLICY));
        assert_eq!(seconds_open(again), 30, "a success starts it afresh");
    }

    #[test]
    fn what_the_event_is_to_blame_for_does_not_count_against_its_destination() {
        let failed = |after| Outcome::Failed { retry_after: after };
        let table = [
            (Outcome::Ok, Some(204), Report::Succeeded),
            (failed(None), Some(400), Report::Succeeded),
            (Outcome::Permanent, Some(410), Report::Succeeded),
            (failed(None), Some(302), Report::Succeeded),
            (failed(None), Some(429), FAILED),
            (failed(Some(SECOND)), Some(429), FAILED),
            (failed(None), Some(500), FAILED),
            (Outcome::Permanent, Some(501), FAILED),
            (Outcome::Timeout, None, FAILED),
            (failed(None), None, FAILED),
            (failed(Some(SECOND)), Some(503), Report::Failed { unavailable_for: Some(SECOND) }),
            (failed(Some(Duration::ZERO)), Some(503), FAILED),
            (Outcome::Permanent, None, Report::Unclear),
            (Outcome::Panic, None, Report::Unclear),
        ];
        for (outcome, status, expected) in table {
            assert_eq!(judge(&outcome, status), expected, "{outcome:?} {status:?}");
        }
    }

    #[test]
    fn no_length_is_too_long_and_no_count_overflows() {
        let endless = Policy { open_for: Duration::MAX, longest: Duration::MAX, ..POLICY };
        let worn =
            Breaker { openings: u32::MAX, failures: u32::MAX, counting_since: Some(at(0)), ..Breaker::default() };
        let opened = worn.after(FAILED, claim(1), at(0), &endless);
        assert_eq!(opened.open_until, Some(DateTime::<Utc>::MAX_UTC));
    }
}
