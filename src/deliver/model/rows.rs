//! The database's rows in the reference's words, and where the two differ.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Deserialize;
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::reference::{Attempt, Dead, Handler, Job, JobId, Key, Lane, LaneState, Reference, State, Violation, When};
use super::stage::Names;
use crate::store::Token;

/// What is unfinished or dead, in one snapshot.
const ROWS: &str = "
    select json_build_object(
        'jobs', coalesce((select json_agg(json_build_object(
                'delivery', delivery, 'subscription', subscription, 'run', run, 'state', state, 'class', class,
                'lane', encode(lane, 'hex'), 'home', encode(home, 'hex'), 'seq', seq, 'attempt', attempt,
                'failures', failures, 'rescues', rescues, 'out_of_order', out_of_order, 'worker', worker, 'claim', claim,
                'due', extract(epoch from due - clock_timestamp()),
                'aside', extract(epoch from snoozed_until - clock_timestamp()))) from hookgate.jobs), '[]'),
        'lanes', coalesce((select json_agg(json_build_object(
                'lane', encode(lane, 'hex'), 'state', state, 'pending', pending, 'worker', worker, 'claim', claim,
                'snoozed', snoozed, 'done_seq', done_seq,
                'due', extract(epoch from due - clock_timestamp()))) from hookgate.lanes), '[]'),
        'dead', coalesce((select json_agg(json_build_object(
                'delivery', delivery, 'subscription', subscription, 'run', run, 'lane', encode(lane, 'hex'), 'seq', seq,
                'attempt', attempt, 'reason', reason)) from hookgate.dead), '[]'))::text";

#[derive(Debug, Deserialize)]
struct Found {
    jobs: Vec<FoundJob>,
    lanes: Vec<FoundLane>,
    dead: Vec<FoundDead>,
}

#[derive(Debug, Deserialize)]
struct FoundJob {
    delivery: Uuid,
    subscription: i32,
    run: i32,
    state: String,
    class: i16,
    lane: Option<String>,
    home: Option<String>,
    seq: Option<i64>,
    attempt: i32,
    failures: i32,
    rescues: i32,
    out_of_order: bool,
    worker: Option<Uuid>,
    claim: Option<i64>,
    due: f64,
    aside: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct FoundLane {
    lane: String,
    state: String,
    pending: usize,
    worker: Option<Uuid>,
    claim: Option<i64>,
    snoozed: i32,
    done_seq: i64,
    due: f64,
}

#[derive(Debug, Deserialize)]
struct FoundDead {
    delivery: Uuid,
    subscription: i32,
    run: i32,
    lane: Option<String>,
    seq: Option<i64>,
    attempt: i32,
    reason: String,
}

/// The rows at one moment.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) jobs: BTreeMap<JobId, Job>,
    pub(super) lanes: BTreeMap<Key, Lane>,
    pub(super) dead: BTreeMap<JobId, (Dead, String)>,
    pending: BTreeMap<Key, usize>,
}

impl Rows {
    pub(super) async fn read(conn: &mut PgConnection, names: &Names) -> Result<Self, Violation> {
        let text: String = sqlx::query_scalar(ROWS).fetch_one(conn).await.map_err(|error| error.to_string())?;
        let found: Found = serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
        let mut rows =
            Self { jobs: BTreeMap::new(), lanes: BTreeMap::new(), dead: BTreeMap::new(), pending: BTreeMap::new() };
        for job in found.jobs {
            let id = names.job(job.delivery, job.subscription, job.run)?;
            rows.jobs.insert(id, job.told(names)?);
        }
        for lane in found.lanes {
            let key = names.key(&lane.lane)?;
            rows.pending.insert(key, lane.pending);
            rows.lanes.insert(key, lane.told()?);
        }
        for dead in found.dead {
            let id = names.job(dead.delivery, dead.subscription, dead.run)?;
            let lane = dead.lane.as_deref().map(|lane| names.key(lane)).transpose()?;
            let told = Dead { lane, seq: dead.seq, attempt: dead.attempt, reason: "" };
            rows.dead.insert(id, (told, dead.reason));
        }
        Ok(rows)
    }

    /// Where the reference sees something else.
    pub(super) fn compare(&self, reference: &Reference) -> Result<(), Violation> {
        // What a running job or a lane that isn't ready was due at says nothing any more.
        let job = |(id, job): (&JobId, &Job)| {
            let due = if job.state == State::Running { When::Now } else { job.due };
            (*id, Job { due, ..job.clone() })
        };
        let lane = |(key, lane): (&Key, &Lane)| {
            let due = if lane.state == LaneState::Ready { lane.due } else { When::Now };
            (*key, Lane { due, ..lane.clone() })
        };
        same("job", self.jobs.iter().map(job), reference.jobs.iter().map(job))?;
        same("lane", self.lanes.iter().map(lane), reference.lanes.iter().map(lane))?;
        let dead = |(id, dead): (&JobId, &Dead)| (*id, (Dead { reason: "", ..dead.clone() }, dead.reason.to_owned()));
        same("dead job", self.dead.iter().map(|(id, dead)| (*id, dead.clone())), reference.dead.iter().map(dead))?;
        for (key, pending) in &self.pending {
            let counted = reference.pending(*key);
            if counted != *pending {
                return Err(format!("counters: lane {key} says {pending} pending, and {counted} stand in it"));
            }
        }
        Ok(())
    }
}

fn same<K: Ord + Debug, V: PartialEq + Debug>(
    what: &str,
    found: impl Iterator<Item = (K, V)>,
    meant: impl Iterator<Item = (K, V)>,
) -> Result<(), Violation> {
    let (found, mut meant): (BTreeMap<K, V>, BTreeMap<K, V>) = (found.collect(), meant.collect());
    for (key, value) in found {
        match meant.remove(&key) {
            Some(other) if other == value => {}
            Some(other) => return Err(format!("{what} {key:?}\n  is        {value:?}\n  should be {other:?}")),
            None => return Err(format!("{what} {key:?} should not be there: {value:?}")),
        }
    }
    match meant.into_iter().next() {
        Some((key, value)) => Err(format!("{what} {key:?} is gone, and should be {value:?}")),
        None => Ok(()),
    }
}

/// Waits of a history are over or last for an hour or more; one that is neither was not meant.
fn when(seconds: f64) -> Result<When, Violation> {
    match seconds {
        ..=0.0 => Ok(When::Now),
        1800.0.. => Ok(When::Later),
        _ => Err(format!("something is due in {seconds} s, which nothing asked for")),
    }
}

impl FoundJob {
    fn told(self, names: &Names) -> Result<Job, Violation> {
        let key = |lane: Option<String>| lane.map(|lane| names.key(&lane)).transpose();
        let state = match self.state.as_str() {
            "ready" => State::Ready,
            "running" => State::Running,
            "waiting" => State::Waiting,
            other => return Err(format!("a job is {other}")),
        };
        Ok(Job {
            state,
            class: self.class,
            lane: key(self.lane)?,
            home: key(self.home)?,
            seq: self.seq,
            due: when(self.due)?,
            attempt: self.attempt,
            failures: self.failures,
            rescues: self.rescues,
            aside: self.aside.map(when).transpose()?,
            out_of_order: self.out_of_order,
            holder: token(self.worker, self.claim),
        })
    }
}

impl FoundLane {
    fn told(self) -> Result<Lane, Violation> {
        let state = match self.state.as_str() {
            "idle" => LaneState::Idle,
            "ready" => LaneState::Ready,
            "claimed" => LaneState::Claimed,
            other => return Err(format!("a lane is {other}")),
        };
        let due = if state == LaneState::Ready { when(self.due)? } else { When::Now };
        Ok(Lane { state, due, holder: token(self.worker, self.claim), snoozed: self.snoozed, done_seq: self.done_seq })
    }
}

fn token(worker: Option<Uuid>, claim: Option<i64>) -> Option<Token> {
    Some(Token { worker: worker?, n: claim? })
}

#[derive(Debug, FromRow)]
struct FoundAttempt {
    delivery: Uuid,
    subscription: i32,
    run: i32,
    attempt: i32,
    outcome: String,
    out_of_order: bool,
    seq: Option<i64>,
}

/// An attempt, and the word it ended with.
type Told = ((JobId, i32), (Attempt, String));

/// Every attempt's row.
async fn attempts(conn: &mut PgConnection, names: &Names) -> Result<Vec<Told>, Violation> {
    let rows: Vec<FoundAttempt> = sqlx::query_as(
        "select delivery, subscription, run, attempt, outcome, out_of_order, seq from hookgate.attempts_standard",
    )
    .fetch_all(conn)
    .await
    .map_err(|error| error.to_string())?;
    let told = |row: FoundAttempt| {
        let id = names.job(row.delivery, row.subscription, row.run)?;
        let attempt = Attempt { outcome: "", out_of_order: row.out_of_order, seq: row.seq };
        Ok(((id, row.attempt), (attempt, row.outcome)))
    };
    rows.into_iter().map(told).collect()
}

/// Whether the attempts are those that the reference saw, and the committed effects too.
pub(super) async fn compare_what_was_done(
    conn: &mut PgConnection,
    names: &Names,
    reference: &Reference,
) -> Result<(), Violation> {
    let meant = reference
        .attempts
        .iter()
        .map(|(key, attempt)| (*key, (Attempt { outcome: "", ..attempt.clone() }, attempt.outcome.to_owned())));
    same("attempt", attempts(conn, names).await?.into_iter(), meant)?;
    let effects: Vec<(Uuid, String, i64)> =
        sqlx::query_as("select delivery, handler, count(*) from model_effect group by delivery, handler")
            .fetch_all(conn)
            .await
            .map_err(|error| error.to_string())?;
    let found = effects.into_iter().map(|(delivery, handler, n)| ((delivery, handler), n));
    let mut meant: BTreeMap<(Uuid, String), i64> = BTreeMap::new();
    for id in &reference.effects {
        let name = if id.handler == Handler::Ordered { "ordered" } else { "free" };
        *meant.entry((reference.events[id.event].delivery, name.to_owned())).or_default() += 1;
    }
    same("effect", found, meant.into_iter())
}
