//! The reference: what job, lane and lease are meant to do, in plain values that one thread changes.
//!
//! It counts nothing that it can look up: a lane's `pending` is how many jobs stand in it.

mod received;
mod rescued;
mod worked;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use uuid::Uuid;

use super::count::Ledger;
use super::operation::{End, Takers};
use crate::store::Token;

/// A sentence that says which rule does not hold.
pub(super) type Violation = String;

/// How jobs of a handler follow each other, and what a failing head does to those behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// No order.
    None,
    /// A lane a key; a failing head holds it for as long as the lane can bear.
    Block,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Handler {
    Ordered,
    Free,
}

impl Handler {
    pub(super) const ALL: [Self; 2] = [Self::Ordered, Self::Free];
    /// How many failures make a job dead.
    pub(super) const ATTEMPTS: i32 = 3;
    /// How many vanished workers make it poison.
    pub(super) const RESCUES: i32 = 3;
    /// How often a job may step aside before that is a failure.
    pub(super) const SNOOZES: i32 = 2;
    /// How many jobs of a lane a claim takes.
    pub(super) const LANE_CLAIM: usize = 3;

    pub(super) fn policy(self) -> Policy {
        match self {
            Self::Ordered => Policy::Block,
            Self::Free => Policy::None,
        }
    }

    pub(super) fn takes(self, takers: Takers) -> bool {
        match self {
            Self::Ordered => matches!(takers, Takers::Both | Takers::Ordered),
            Self::Free => matches!(takers, Takers::Both | Takers::Free),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct JobId {
    pub(super) event: usize,
    pub(super) handler: Handler,
    pub(super) run: i32,
}

/// A lane, by its key.
pub(super) type Key = u8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Now,
    Later,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    Running,
    Waiting,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) state: State,
    pub(super) class: i16,
    pub(super) lane: Option<Key>,
    pub(super) home: Option<Key>,
    pub(super) seq: Option<i64>,
    pub(super) due: When,
    pub(super) attempt: i32,
    pub(super) failures: i32,
    pub(super) rescues: i32,
    /// Until when it stands aside.
    pub(super) aside: Option<When>,
    pub(super) out_of_order: bool,
    /// Who holds it, where it stands in no lane.
    pub(super) holder: Option<Token>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LaneState {
    Idle,
    Ready,
    Claimed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) state: LaneState,
    pub(super) due: When,
    pub(super) holder: Option<Token>,
    pub(super) snoozed: i32,
    pub(super) done_seq: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dead {
    pub(super) lane: Option<Key>,
    pub(super) seq: Option<i64>,
    pub(super) attempt: i32,
    pub(super) reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attempt {
    pub(super) outcome: &'static str,
    pub(super) out_of_order: bool,
    pub(super) seq: Option<i64>,
}

/// How far an event got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Sent, and never acknowledged.
    Sent,
    /// Written by a T1 that is not committed.
    InFlight,
    Recorded,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) key: Key,
    pub(super) takers: Takers,
    pub(super) standing: Standing,
    /// Of the delivery that stands for it.
    pub(super) delivery: Uuid,
}

impl Event {
    pub(super) fn handlers(&self) -> impl Iterator<Item = Handler> + use<> {
        let takers = self.takers;
        Handler::ALL.into_iter().filter(move |handler| handler.takes(takers))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Held {
    Lane(Key),
    Job(JobId),
}

/// What one task of a worker believes to hold and to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) token: Token,
    pub(super) held: Held,
    pub(super) job: JobId,
    pub(super) rest: VecDeque<JobId>,
    /// Whether it was claimed as what a rescue put back.
    pub(super) suspect: bool,
    /// Whether its handler wrote in the transaction it was lent.
    pub(super) wrote: bool,
}

/// What a settle must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Went {
    /// On to this job, in this attempt.
    Next(JobId, i32),
    /// The task ends.
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transition {
    Done,
    Retry(When),
    Outside(When),
    Aside,
    Dead(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Back {
    NotStarted(When),
    Interrupted,
}

/// What a replay means to do with a handler's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Redrive,
    Hasten,
    Leave,
    Repeat { seq: Option<i64> },
}

#[derive(Debug, Default)]
pub(super) struct Reference {
    pub(super) events: Vec<Event>,
    pub(super) jobs: BTreeMap<JobId, Job>,
    pub(super) lanes: BTreeMap<Key, Lane>,
    pub(super) dead: BTreeMap<JobId, Dead>,
    pub(super) attempts: BTreeMap<(JobId, i32), Attempt>,
    /// Jobs whose effect in the database is committed.
    pub(super) effects: BTreeSet<JobId>,
    /// The highest sequence each lane ever gave out. It outlives the lane's row.
    highest: BTreeMap<Key, i64>,
    /// How often each job stepped aside, less what it was given back.
    snoozes: BTreeMap<JobId, i32>,
    pub(super) ledger: Ledger,
}

impl Reference {
    fn hit(&mut self, transition: &'static str) {
        self.ledger.hit(transition);
    }

    pub(super) fn pending(&self, key: Key) -> usize {
        self.in_lane(key).count()
    }

    fn in_lane(&self, key: Key) -> impl Iterator<Item = (&JobId, &Job)> {
        self.jobs.iter().filter(move |(_, job)| job.lane == Some(key))
    }

    /// Those of a lane that don't stand aside, in the order they run in.
    fn line(&self, key: Key) -> Vec<JobId> {
        let mut line: Vec<_> = self.in_lane(key).filter(|(_, job)| job.aside != Some(When::Later)).collect();
        line.sort_by_key(|(id, job)| (job.seq, id.run));
        line.into_iter().map(|(id, _)| *id).collect()
    }

    /// Those of a lane that a claim may run now: up to the first that waits, and a suspect alone.
    pub(super) fn runnable(&self, key: Key) -> VecDeque<JobId> {
        let line = self.line(key);
        let suspect = line.iter().position(|id| self.is_suspect(*id)).unwrap_or(Handler::LANE_CLAIM);
        let limit = suspect.clamp(1, Handler::LANE_CLAIM);
        line.into_iter().take(limit).take_while(|id| self.jobs[id].due == When::Now).collect()
    }

    /// Whether its worker vanished while it ran. In a process one of them runs at a time.
    fn is_suspect(&self, id: JobId) -> bool {
        self.jobs.get(&id).is_some_and(|job| job.rescues > 0)
    }

    /// What a look may claim, but only while no suspect runs beside it.
    pub(super) fn suspects(&self) -> Vec<Held> {
        let all = Handler::ALL.into_iter().flat_map(|handler| self.claimable(handler));
        all.filter(|held| self.first(*held).is_some_and(|first| self.is_suspect(first))).collect()
    }

    fn is_ready(&self, key: Key) -> bool {
        self.lanes.get(&key).is_some_and(|lane| lane.state == LaneState::Ready && lane.due == When::Now)
    }

    /// Lanes that look ready and have nothing that may run.
    pub(super) fn ready_in_vain(&self) -> Vec<Key> {
        self.lanes.keys().copied().filter(|key| self.is_ready(*key) && self.runnable(*key).is_empty()).collect()
    }

    /// What a look may claim for a handler.
    pub(super) fn claimable(&self, handler: Handler) -> Vec<Held> {
        let lanes = self.lanes.keys().copied().filter(|key| self.is_ready(*key) && !self.runnable(*key).is_empty());
        let lanes = lanes.filter(|_| handler.policy() == Policy::Block).map(Held::Lane);
        let alone = self.jobs.iter().filter(|(id, job)| id.handler == handler && Self::is_free(job));
        lanes.chain(alone.map(|(id, _)| Held::Job(*id))).collect()
    }

    fn is_free(job: &Job) -> bool {
        let waits = job.due == When::Later || job.aside == Some(When::Later);
        job.lane.is_none() && job.state != State::Running && !waits
    }
}

impl Job {
    fn new(class: i16, lane: Option<Key>, seq: Option<i64>) -> Self {
        Self {
            state: State::Ready,
            class,
            lane,
            home: None,
            seq,
            due: When::Now,
            attempt: 0,
            failures: 0,
            rescues: 0,
            aside: None,
            out_of_order: false,
            holder: None,
        }
    }
}

impl Lane {
    fn idle() -> Self {
        Self { state: LaneState::Idle, due: When::Now, holder: None, snoozed: 0, done_seq: 0 }
    }

    fn wake(&mut self) {
        if self.state == LaneState::Idle {
            self.state = LaneState::Ready;
        }
    }
}

impl End {
    /// The word in the attempt's row.
    fn outcome(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Short | Self::Long => "failed",
            Self::Panic => "panic",
            Self::Permanent | Self::Undecodable | Self::Escape => "permanent",
            Self::Snooze => "snoozed",
        }
    }
}

impl Transition {
    fn told(self, in_lane: bool, end: End) -> &'static str {
        match (self, in_lane) {
            (Self::Done, true) => "running → done, in a lane",
            (Self::Done, false) => "running → done, alone",
            (Self::Retry(_), _) if end == End::Snooze => "running → waiting, snoozed too often",
            (Self::Retry(_), true) => "running → waiting, in place",
            (Self::Retry(_), false) => "running → waiting, alone",
            (Self::Outside(_), _) => "running → waiting, outside its lane",
            (Self::Aside, true) => "running → waiting, aside in its lane",
            (Self::Aside, false) => "running → waiting, aside alone",
            (Self::Dead("exhausted"), _) => "running → dead, exhausted",
            (Self::Dead("permanent"), _) => "running → dead, permanent",
            (Self::Dead("undecodable"), _) => "running → dead, undecodable",
            (Self::Dead(_), _) => "running → dead, transaction escaped",
        }
    }
}
