//! The model-based test of job, lane and lease: random histories on the real stages and a real Postgres, each step
//! compared with a reference that one can read at a sitting.
//!
//! [`operation`] draws what happens, [`world`] and [`races`] carry it out with the code that production runs, and
//! [`reference`] says what must come of it. `docs/RELIABILITY.md` tells what is covered; `tests/mutants/run` shows that
//! what is covered is noticed.
//!
//! `HOOKGATE_MODEL_HISTORIES` and `HOOKGATE_MODEL_SECONDS` say how long it runs, `HOOKGATE_MODEL_SEED` where it begins: a
//! seed from a failure, with one history, is that failure again.

mod count;
mod history;
mod operation;
#[expect(dead_code, reason = "the integration tests' own, which need more of it")]
#[path = "../../../tests/it/support/postgres.rs"]
mod postgres;
mod process;
mod races;
mod reference;
mod rows;
mod stage;
mod world;

use std::io::Write as _;
use std::str::FromStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection};

use crate::store::claims;
use count::Ledger;
use history::Failure;
use operation::{End, Operation, Sending, Takers};
use stage::Stage;

/// Where the histories of a run begin, unless told otherwise: the same ones each time.
const SEED: u64 = 1;
/// How long a run takes, unless told otherwise.
const SECONDS: u64 = 60;
/// How many run at a time, each in a database of its own.
const WORLDS: usize = 4;
/// After so many histories of a database, what they left behind is cleaned up.
const VACUUM_EVERY: u64 = 200;

#[test]
fn random_histories_come_out_as_the_reference_says() {
    let seed = from_environment("HOOKGATE_MODEL_SEED", SEED);
    let asked = std::env::var("HOOKGATE_MODEL_HISTORIES").is_ok();
    let histories = from_environment("HOOKGATE_MODEL_HISTORIES", u64::MAX);
    let limit = if asked { u64::from(u32::MAX) } else { from_environment("HOOKGATE_MODEL_SECONDS", SECONDS) };
    let run = Run {
        seed,
        histories,
        limit: Duration::from_secs(limit),
        next: AtomicU64::new(0),
        ledger: Mutex::default(),
        failure: Mutex::default(),
    };
    let began = Instant::now();
    std::thread::scope(|threads| {
        for _ in 0..WORLDS.min(usize::try_from(histories).unwrap_or(WORLDS)) {
            threads.spawn(|| run.work());
        }
    });
    let ledger = run.ledger.into_inner().expect("no thread panicked");
    let failure = run.failure.into_inner().expect("no thread panicked");
    // Past the test's captured output: the ledger is what a run is for.
    let violations = failure.as_ref().map_or(0, |_| 1);
    let told = writeln!(
        std::io::stderr(),
        "the model, from seed {seed}, in {:.0} s:\n{ledger}{violations:>12}  violations",
        began.elapsed().as_secs_f64()
    );
    assert!(told.is_ok());
    if let Some(failure) = failure {
        panic!("{failure}");
    }
    assert!(ledger.histories > 0, "no history came to its end");
}

/// Found by the model: the death of a poison job did not count as its end.
#[tokio::test]
async fn whoever_stands_aside_comes_back_when_another_job_of_its_lane_ends_as_poison() {
    let mut stage = Stage::set(postgres::database().await.options()).await.expect("a stage");
    let new = Sending::New { key: 0, takers: Takers::Ordered };
    let mut history = vec![Operation::Receive(vec![new, new]), Operation::Look(0), Operation::Settle(0, End::Snooze)];
    for _ in 0..reference::Handler::RESCUES {
        history.extend([Operation::Look(0), Operation::Crash(0), Operation::Rescue]);
    }
    history::told(&mut stage, 1, &history).await.expect("as the reference says");
}

/// A look whose places were all taken by suspects that had to wait rested until the poll, whatever stood behind them.
#[tokio::test]
async fn a_look_that_only_put_suspects_off_looks_again_for_what_stands_behind_them() {
    let mut stage = Stage::set(postgres::database().await.options()).await.expect("a stage");
    let new = |key| Sending::New { key, takers: Takers::Ordered };
    let history = [
        // One that waits outside its lane takes a place later on.
        Operation::Receive(vec![new(2)]),
        Operation::Look(0),
        Operation::Settle(0, End::Long),
        // Two suspects: one runs, the other waits for it.
        Operation::Receive(vec![new(0), new(1)]),
        Operation::Look(0),
        Operation::Crash(0),
        Operation::Rescue,
        Operation::PassTime,
        Operation::Look(0),
        // The other one is first in line for the last place again, and something else stands behind it.
        Operation::PassTime,
        Operation::Receive(vec![new(2)]),
        Operation::Look(0),
    ];
    history::told(&mut stage, 1, &history).await.expect("as the reference says");
}

#[tokio::test]
async fn the_server_does_not_compile_what_a_claim_runs() {
    let mut conn = PgConnection::connect_with(&postgres::database().await.options()).await.expect("a connection");
    let mut claim = conn.begin().await.expect("a transaction");
    claims::plan_by_index(&mut claim).await.expect("settings");
    let jit: String = sqlx::query_scalar("show jit").fetch_one(&mut *claim).await.expect("a setting");
    assert_eq!(jit, "off");
}

/// What the threads share.
struct Run {
    seed: u64,
    histories: u64,
    limit: Duration,
    next: AtomicU64,
    ledger: Mutex<Ledger>,
    failure: Mutex<Option<Box<Failure>>>,
}

impl Run {
    /// Histories until there are enough, time is up, or one fails.
    #[tokio::main(flavor = "current_thread")]
    async fn work(&self) {
        let mut stage = Stage::set(postgres::database().await.options()).await.expect("a stage");
        let mut own = Ledger::default();
        let began = Instant::now();
        loop {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let failed = self.failure.lock().expect("no thread panicked").is_some();
            // On the slowest machine, too, one comes to its end.
            let is_over = own.histories > 0 && began.elapsed() >= self.limit;
            if n >= self.histories || is_over || failed {
                break;
            }
            match history::run(&mut stage, self.seed.wrapping_add(n)).await {
                Ok(ledger) => own.add(&ledger),
                Err(failure) => {
                    *self.failure.lock().expect("no thread panicked") = Some(failure);
                    break;
                }
            }
            if own.histories.is_multiple_of(VACUUM_EVERY) {
                stage.vacuum().await.expect("a vacuum");
            }
        }
        self.ledger.lock().expect("no thread panicked").add(&own);
    }
}

fn from_environment<T: FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}
