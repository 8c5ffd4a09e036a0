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
    include_str!("../job.rs")
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
    let schema = include_str!("../../migrations/0001_base.sql");
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
    assert!(told.contains("`give_up_after` (3d)") && told.ends_with("said: the destination answered 503"), "{told}");
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
