//! The life of a job, told once and purely: what happened, under which policy, at what time → what changes.
//!
//! ```text
//! ready   → running   claimed, or next in its lane
//! waiting → running   claimed when due, or hastened
//! running → done      ended well
//! running → waiting   failed with budget left, in place or outside its lane
//! running → waiting   failed, and its lane halts
//! running → waiting   stepped aside, keeping its place and its budget
//! running → waiting   deferred: what it needs is left alone, and no budget is used
//! running → dead      budget or time spent, permanent, undecodable, or its transaction escaped
//! running → ready     handed back before it ran
//! running → ready     rescued from a silent worker, or cut off with its worker's stop
//! running → dead      poison: rescued too often
//! ready   → superseded   a newer version of its key starts
//! waiting → superseded   a newer version of its key starts
//! ready   → stale     a newer version of its key was handled
//! waiting → stale     a newer version of its key was handled
//! ready   → dead      cancelled: an operator took it out of its lane
//! waiting → dead      cancelled: an operator took it out of its lane
//! dead    → ready     redriven, by a redelivery or an operator
//! ```
//!
//! Nothing here reads a clock, a database or the environment. `deliver/settle.rs` carries the transition out.
//! `attempt` never decides anything: it is a label. `failures` is the retry budget, `rescues` the poison budget.

use std::borrow::Cow;
use std::time::Duration;

use crate::config::{OnFailure, show_duration as show};

/// What ended an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The handler returned `Ok`.
    Ok,
    /// The handler failed in a way that may pass.
    Failed {
        /// The wait the handler or the destination asked for.
        retry_after: Option<Duration>,
    },
    /// The handler said that no retry can help.
    Permanent,
    /// The payload does not decode into the type the handler takes.
    Undecodable,
    /// The handler did not end within its timeout.
    Timeout,
    /// The handler panicked.
    Panic,
    /// The handler stepped aside: its predecessor has not come yet. Uses no attempt of the budget.
    Snoozed {
        /// How long to step aside, unless another job of the lane ends first.
        wait: Duration,
    },
    /// What the handler needs is left alone for now: its breaker is open. Uses no attempt of the budget.
    Deferred {
        /// How long.
        wait: Duration,
    },
    /// The handler ended the transaction that was lent to it, so its effects can't be tied to its completion.
    Escaped,
}

/// What a job's handler allows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Policy {
    /// How many failures make the job dead.
    pub(crate) attempts: u32,
    /// First wait; doubled (or multiplied by `factor`) with each failure.
    pub(crate) backoff_base: Duration,
    /// Growth of the wait.
    pub(crate) backoff_factor: u32,
    /// The longest wait, for the schedule and for what a destination asks for.
    pub(crate) backoff_cap: Duration,
    /// The waits one by one, instead of the back-off; the last one repeats. Empty: the back-off.
    pub(crate) retry: Vec<Duration>,
    /// How long after its first failure a job is still tried again. `None`: as long as there are attempts.
    pub(crate) give_up_after: Option<Duration>,
    /// What a lane does while its head fails.
    pub(crate) on_failure: OnFailure,
    /// How long a failing head may hold its lane, where it blocks.
    pub(crate) block_for: Duration,
    /// How many executions may vanish with their worker before the job counts as poison.
    pub(crate) rescues: u32,
    /// How long a job may step aside in all.
    pub(crate) snooze_limit: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            attempts: 12,
            backoff_base: Duration::from_secs(5),
            backoff_factor: 2,
            backoff_cap: Duration::from_secs(3600),
            on_failure: OnFailure::Block,
            retry: Vec::new(),
            give_up_after: None,
            block_for: Duration::from_secs(15 * 60),
            rescues: 3,
            snooze_limit: Duration::from_secs(10 * 60),
        }
    }
}

/// What is known of the job when its attempt ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct History {
    /// Failures before this attempt.
    pub(crate) failures: u32,
    /// Time spent stepping aside before this attempt.
    pub(crate) snoozed: Duration,
    /// How long this job has been its lane's failing head; `None` before its first failure or outside a lane.
    pub(crate) blocking: Option<Duration>,
    /// How long ago it failed for the first time since it was queued; `None` before that.
    pub(crate) failing: Option<Duration>,
    /// Whether the job stands in a lane.
    pub(crate) in_lane: bool,
    /// Whether only the newest of that lane counts.
    pub(crate) latest: bool,
}

/// Why a job is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Death {
    /// Every attempt of its budget failed.
    Exhausted,
    /// Its next try would have come after `give_up_after`: exhausted too, of time.
    GivenUp {
        /// What it was given.
        after: Duration,
    },
    /// The handler said that no retry can help.
    Permanent,
    /// Its executions kept vanishing together with their worker.
    Poison,
    /// The handler ended the transaction lent to it; running it again could repeat its effects.
    TransactionEscaped,
    /// The payload does not decode into what the handler takes.
    Undecodable,
    /// An operator took it out of the queue.
    Cancelled,
}

impl Death {
    /// The name used in the database, the API and the logs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Exhausted | Self::GivenUp { .. } => "exhausted",
            Self::Permanent => "permanent",
            Self::Poison => "poison",
            Self::TransactionEscaped => "transaction_escaped",
            Self::Undecodable => "undecodable",
            Self::Cancelled => "cancelled",
        }
    }

    /// What an operator reads of a job that died of this, whose last attempt said `error`.
    pub(crate) fn told(self, error: Option<&str>) -> Option<Cow<'_, str>> {
        match self {
            Self::GivenUp { after } => Some(Cow::Owned(format!(
                "given up: its next try would have come later than `give_up_after` ({}) from its first failure; the last \
                 attempt said: {}",
                show(after),
                error.unwrap_or("nothing"),
            ))),
            _ => error.map(Cow::Borrowed),
        }
    }
}

/// What becomes of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transition {
    /// running → done.
    Done,
    /// running → waiting; in a lane, the lane waits with it.
    Retry {
        /// From now.
        wait: Duration,
    },
    /// running → waiting outside its lane, which goes on without it; marked out of order.
    RetryOutside {
        /// From now.
        wait: Duration,
    },
    /// running → waiting, due at once: its lane halts, and an operator says when it goes on.
    Halt,
    /// running → waiting, keeping its place; the lane passes over it until then.
    StepAside {
        /// From now.
        wait: Duration,
    },
    /// running → waiting; in a lane, the lane waits with it. No failure, however long it takes.
    Defer {
        /// From now.
        wait: Duration,
    },
    /// running → dead.
    Dead(Death),
}

/// Decides what becomes of a job whose attempt ended.
///
/// `jitter` is a number in `0.0..=1.0`, drawn by the caller: full jitter, so that a crowd of failures does not come
/// back as a crowd.
pub(crate) fn decide(outcome: &Outcome, history: History, policy: &Policy, jitter: f64) -> Transition {
    match outcome {
        Outcome::Ok => Transition::Done,
        Outcome::Permanent => Transition::Dead(Death::Permanent),
        Outcome::Undecodable => Transition::Dead(Death::Undecodable),
        Outcome::Escaped => Transition::Dead(Death::TransactionEscaped),
        Outcome::Snoozed { wait } if history.snoozed.saturating_add(*wait) <= policy.snooze_limit => {
            Transition::StepAside { wait: *wait }
        }
        Outcome::Deferred { wait } => Transition::Defer { wait: *wait },
        Outcome::Failed { retry_after } => after_failure(*retry_after, history, policy, jitter),
        Outcome::Timeout | Outcome::Panic | Outcome::Snoozed { .. } => after_failure(None, history, policy, jitter),
    }
}

/// What becomes of a lane when an attempt in it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneStep {
    /// Whoever is next may start.
    GoesOn,
    /// It waits for its head's retry.
    Waits(Duration),
    /// It waits for its newest's retry, and starts at once for one that is newer.
    WaitsUnlessNewer(Duration),
    /// Nothing starts until an operator acts.
    Halts,
}

/// Decides what becomes of the lane: a lane that halts does so for a dead head, too.
pub(crate) fn decide_lane(transition: Transition, latest: bool, on_failure: OnFailure) -> LaneStep {
    match transition {
        Transition::Halt => LaneStep::Halts,
        Transition::Dead(_) if on_failure == OnFailure::Halt => LaneStep::Halts,
        Transition::Retry { wait } | Transition::Defer { wait } if latest => LaneStep::WaitsUnlessNewer(wait),
        Transition::Retry { wait } | Transition::Defer { wait } => LaneStep::Waits(wait),
        Transition::Done | Transition::Dead(_) | Transition::RetryOutside { .. } | Transition::StepAside { .. } => {
            LaneStep::GoesOn
        }
    }
}

/// Decides what becomes of a job whose worker vanished: ready again, or dead as poison.
pub(crate) fn decide_rescue(rescues_before: u32, policy_rescues: u32) -> Result<(), Death> {
    if rescues_before + 1 >= policy_rescues { Err(Death::Poison) } else { Ok(()) }
}

/// The counted failure includes this one. A snooze past its limit comes here too, so it ends as any failure does.
fn after_failure(asked: Option<Duration>, history: History, policy: &Policy, jitter: f64) -> Transition {
    let failures = history.failures + 1;
    if failures >= policy.attempts {
        return Transition::Dead(Death::Exhausted);
    }
    let asked = asked.unwrap_or_default().min(policy.backoff_cap);
    let wait = scheduled(failures, policy, jitter).max(asked);
    if let Some(after) = policy.give_up_after
        && history.failing.unwrap_or_default().saturating_add(wait) > after
    {
        return Transition::Dead(Death::GivenUp { after });
    }
    // The newest stays where a newer one finds it and takes its place.
    if !history.in_lane || history.latest {
        return Transition::Retry { wait };
    }
    let blocked = history.blocking.unwrap_or_default().saturating_add(wait);
    match policy.on_failure {
        OnFailure::Halt => Transition::Halt,
        OnFailure::Skip => Transition::RetryOutside { wait },
        OnFailure::Block if blocked > policy.block_for => Transition::RetryOutside { wait },
        OnFailure::Block => Transition::Retry { wait },
    }
}

/// The wait after this many failures.
fn scheduled(failures: u32, policy: &Policy, jitter: f64) -> Duration {
    let listed = policy.retry.get(failures.saturating_sub(1) as usize).or(policy.retry.last());
    match listed {
        // Never sooner than was written, and up to a tenth later: a list is for those who count on its times, and a
        // crowd that failed together need not come back in one instant.
        Some(wait) => {
            let later = wait.as_secs_f64() * 0.1 * jitter.clamp(0.0, 1.0);
            wait.saturating_add(Duration::try_from_secs_f64(later).unwrap_or_default())
        }
        None => backoff(failures, policy, jitter),
    }
}

/// Full jitter over base × factor^(failures − 1), capped.
fn backoff(failures: u32, policy: &Policy, jitter: f64) -> Duration {
    let growth = f64::from(policy.backoff_factor).powi(failures.saturating_sub(1).min(63) as i32);
    let ceiling = (policy.backoff_base.as_secs_f64() * growth).min(policy.backoff_cap.as_secs_f64());
    // The longest cap there is rounds to more than a duration holds.
    Duration::try_from_secs_f64(ceiling * jitter.clamp(0.0, 1.0)).unwrap_or(policy.backoff_cap)
}

impl Transition {
    /// Where an ended attempt takes its job, in the words of the table above.
    pub(crate) fn to(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Retry { .. } | Self::RetryOutside { .. } | Self::Halt | Self::StepAside { .. } => "waiting",
            Self::Defer { .. } => "waiting",
            Self::Dead(_) => "dead",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn secs(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn failed() -> Outcome {
        Outcome::Failed { retry_after: None }
    }

    #[test]
    fn each_outcome_has_its_transition() {
        let policy = Policy::default();
        let fresh = History::default();
        let table = [
            (Outcome::Ok, Transition::Done),
            (Outcome::Permanent, Transition::Dead(Death::Permanent)),
            (Outcome::Undecodable, Transition::Dead(Death::Undecodable)),
            (Outcome::Escaped, Transition::Dead(Death::TransactionEscaped)),
            (Outcome::Timeout, Transition::Retry { wait: secs(5) }),
            (Outcome::Panic, Transition::Retry { wait: secs(5) }),
            (failed(), Transition::Retry { wait: secs(5) }),
            (Outcome::Snoozed { wait: secs(60) }, Transition::StepAside { wait: secs(60) }),
            (Outcome::Deferred { wait: secs(600) }, Transition::Defer { wait: secs(600) }),
        ];
        for (outcome, expected) in table {
            assert_eq!(decide(&outcome, fresh, &policy, 1.0), expected, "{outcome:?}");
        }
    }

    /// The moves that this page's table tells, as (from, to).
    fn told() -> Vec<(&'static str, &'static str)> {
        include_str!("job.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//! ")?.split_once("→"))
            .filter_map(|(from, rest)| Some((from.trim(), rest.split_whitespace().next()?)))
            .filter(|(from, _)| !from.contains(' '))
            .collect()
    }

    #[test]
    fn the_table_tells_every_transition_and_the_database_knows_every_state() {
        let told = told();
        assert_eq!(told.len(), 18);
        let wait = secs(1);
        for transition in [
            Transition::Done,
            Transition::Retry { wait },
            Transition::RetryOutside { wait },
            Transition::Halt,
            Transition::StepAside { wait },
            Transition::Defer { wait },
            Transition::Dead(Death::Exhausted),
        ] {
            assert!(told.contains(&("running", transition.to())), "{transition:?} is not told");
        }
        let schema = include_str!("../migrations/0001_base.sql");
        let ends = ["done", "dead", "superseded", "stale"];
        for (from, to) in told {
            for state in [from, to].into_iter().filter(|state| !ends.contains(state)) {
                assert!(schema.contains(&format!("'{state}'")), "jobs.state does not know {state}");
            }
        }
    }

    #[test]
    fn the_wait_doubles_and_is_capped() {
        let policy = Policy::default();
        let waits: Vec<u64> = (0..11)
            .map(|failures| match decide(&failed(), History { failures, ..Default::default() }, &policy, 1.0) {
                Transition::Retry { wait } => wait.as_secs(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]);
    }

    #[test]
    fn the_last_failure_of_the_budget_is_death() {
        let history = History { failures: 11, ..Default::default() };
        assert_eq!(decide(&failed(), history, &Policy::default(), 0.5), Transition::Dead(Death::Exhausted));
    }

    #[test]
    fn a_longer_wait_asked_for_is_honoured_up_to_the_cap() {
        let ask = |s| Outcome::Failed { retry_after: Some(secs(s)) };
        let decide = |outcome| decide(&outcome, History::default(), &Policy::default(), 1.0);
        assert_eq!(decide(ask(120)), Transition::Retry { wait: secs(120) });
        assert_eq!(decide(ask(1)), Transition::Retry { wait: secs(5) }, "never sooner than the schedule");
        assert_eq!(decide(ask(999_999_999)), Transition::Retry { wait: secs(3600) });
    }

    #[test]
    fn a_list_of_waits_is_kept_to_and_its_last_one_repeats() {
        let policy = Policy { retry: vec![secs(5), secs(60), secs(36_000)], attempts: 6, ..Policy::default() };
        let after = |failures, jitter| decide(&failed(), History { failures, ..Default::default() }, &policy, jitter);
        // Hours beyond the back-off's cap: the list says what it means.
        let waits = [5, 60, 36_000, 36_000, 36_000].map(|wait| Transition::Retry { wait: secs(wait) });
        assert_eq!([0, 1, 2, 3, 4].map(|failures| after(failures, 0.0)), waits);
        assert_eq!(after(5, 0.0), Transition::Dead(Death::Exhausted));
        assert_eq!(after(1, 1.0), Transition::Retry { wait: secs(66) }, "at most a tenth later");
    }

    #[test]
    fn a_listed_wait_is_no_shorter_than_what_was_asked_for_up_to_the_cap() {
        let policy = Policy { retry: vec![secs(5), secs(7200)], ..Policy::default() };
        let ask = |failures, asked| {
            let outcome = Outcome::Failed { retry_after: Some(secs(asked)) };
            decide(&outcome, History { failures, ..Default::default() }, &policy, 0.0)
        };
        assert_eq!(ask(0, 120), Transition::Retry { wait: secs(120) });
        assert_eq!(ask(0, 999_999), Transition::Retry { wait: secs(3600) });
        assert_eq!(ask(1, 999_999), Transition::Retry { wait: secs(7200) }, "the cap never shortens the list");
    }

    #[test]
    fn a_retry_that_would_come_after_the_horizon_is_given_up_now() {
        let policy = Policy { retry: vec![secs(60)], give_up_after: Some(secs(600)), ..Policy::default() };
        let given_up = Transition::Dead(Death::GivenUp { after: secs(600) });
        let after = |failing: Option<u64>| {
            decide(&failed(), History { failures: 3, failing: failing.map(secs), ..Default::default() }, &policy, 0.0)
        };
        assert_eq!(after(None), Transition::Retry { wait: secs(60) });
        assert_eq!(after(Some(540)), Transition::Retry { wait: secs(60) });
        assert_eq!(after(Some(541)), given_up);
        let asked = Outcome::Failed { retry_after: Some(secs(601)) };
        assert_eq!(decide(&asked, History::default(), &policy, 0.0), given_up, "the destination asked for too much");
        let endless = History { failing: Some(Duration::MAX), ..Default::default() };
        assert_eq!(decide(&failed(), endless, &policy, 0.0), given_up);
    }

    #[test]
    fn who_is_given_up_is_told_so_with_the_last_error() {
        let death = Death::GivenUp { after: secs(259_200) };
        assert_eq!(death.as_str(), Death::Exhausted.as_str());
        let told = death.told(Some("the destination answered 503")).expect("a text");
        assert!(
            told.contains("`give_up_after` (3d)") && told.ends_with("said: the destination answered 503"),
            "{told}"
        );
        assert_eq!(Death::Permanent.told(Some("no")).as_deref(), Some("no"));
        assert_eq!(Death::Permanent.told(None), None);
    }

    #[test]
    fn a_head_that_would_block_its_lane_too_long_retries_outside_it() {
        let blocking = |s| History { failures: 3, in_lane: true, blocking: Some(secs(s)), ..Default::default() };
        let policy = Policy::default();
        assert_eq!(decide(&failed(), blocking(800), &policy, 1.0), Transition::Retry { wait: secs(40) });
        assert_eq!(decide(&failed(), blocking(870), &policy, 1.0), Transition::RetryOutside { wait: secs(40) });
    }

    #[test]
    fn a_failing_head_leaves_at_once_where_it_is_skipped_and_stays_where_it_halts() {
        let head = History { in_lane: true, ..Default::default() };
        let newest = History { latest: true, ..head };
        let of = |on_failure, history| {
            let policy = Policy { on_failure, block_for: Duration::ZERO, ..Policy::default() };
            decide(&failed(), history, &policy, 1.0)
        };
        assert_eq!(of(OnFailure::Skip, head), Transition::RetryOutside { wait: secs(5) });
        assert_eq!(of(OnFailure::Halt, head), Transition::Halt);
        for on_failure in [OnFailure::Skip, OnFailure::Halt] {
            let outside = History::default();
            assert_eq!(of(on_failure, outside), Transition::Retry { wait: secs(5) }, "outside no lane is held up");
        }
        assert_eq!(of(OnFailure::Block, newest), Transition::Retry { wait: secs(5) }, "the newest never leaves");
    }

    #[test]
    fn only_halt_stops_a_lane_and_a_dead_head_stops_it_too() {
        let wait = secs(1);
        let lane = |transition, on_failure| decide_lane(transition, false, on_failure);
        let dead = Transition::Dead(Death::Exhausted);
        assert_eq!(lane(Transition::Halt, OnFailure::Halt), LaneStep::Halts);
        assert_eq!(lane(dead, OnFailure::Halt), LaneStep::Halts);
        for on_failure in [OnFailure::Block, OnFailure::Skip] {
            assert_eq!(lane(dead, on_failure), LaneStep::GoesOn);
        }
        for on_failure in [OnFailure::Block, OnFailure::Skip, OnFailure::Halt] {
            for passes in [Transition::Done, Transition::RetryOutside { wait }, Transition::StepAside { wait }] {
                assert_eq!(lane(passes, on_failure), LaneStep::GoesOn, "{passes:?}");
            }
        }
        assert_eq!(lane(Transition::Retry { wait }, OnFailure::Block), LaneStep::Waits(wait));
        let latest = decide_lane(Transition::Retry { wait }, true, OnFailure::Block);
        assert_eq!(latest, LaneStep::WaitsUnlessNewer(wait));
    }

    #[test]
    fn snoozing_past_the_limit_counts_as_a_failure() {
        let history = History { snoozed: secs(590), ..Default::default() };
        assert_eq!(
            decide(&Outcome::Snoozed { wait: secs(60) }, history, &Policy::default(), 1.0),
            Transition::Retry { wait: secs(5) },
        );
    }

    #[test]
    fn no_wait_is_too_long_to_be_added_up() {
        let endless = Policy { backoff_base: Duration::MAX, backoff_cap: Duration::MAX, ..Policy::default() };
        let history = History { snoozed: secs(1), in_lane: true, blocking: Some(secs(1)), ..Default::default() };
        let snoozed = decide(&Outcome::Snoozed { wait: Duration::MAX }, history, &Policy::default(), 1.0);
        assert_eq!(snoozed, Transition::Retry { wait: secs(5) });
        let retried = decide(&failed(), history, &endless, 1.0);
        assert_eq!(retried, Transition::RetryOutside { wait: Duration::MAX });
    }

    #[test]
    fn the_third_vanished_worker_makes_a_job_poison() {
        assert_eq!(decide_rescue(0, 3), Ok(()));
        assert_eq!(decide_rescue(1, 3), Ok(()));
        assert_eq!(decide_rescue(2, 3), Err(Death::Poison));
    }

    proptest! {
        #[test]
        fn no_wait_exceeds_the_cap_and_nothing_overflows(
            failures in 0u32..=u32::MAX - 1, asked in proptest::option::of(0u64..=u64::MAX), jitter in 0.0f64..=1.0,
        ) {
            let policy = Policy { attempts: u32::MAX, ..Policy::default() };
            let outcome = Outcome::Failed { retry_after: asked.map(secs) };
            let history = History { failures: failures.min(u32::MAX - 2), ..Default::default() };
            match decide(&outcome, history, &policy, jitter) {
                Transition::Retry { wait } => prop_assert!(wait <= policy.backoff_cap),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
