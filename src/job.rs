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
mod tests;
