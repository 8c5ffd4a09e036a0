//! The reference: what job, lane and lease are meant to do, in plain values that one thread changes.
//!
//! It counts nothing that it can look up: a lane's `pending` is how many jobs stand in it.

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

    /// Those of a lane that a claim may run now: up to the first that waits, and after a rescue the head alone.
    pub(super) fn runnable(&self, key: Key) -> VecDeque<JobId> {
        let line = self.line(key);
        let rescued = line.first().is_some_and(|head| self.jobs[head].rescues > 0);
        let limit = if rescued { 1 } else { Handler::LANE_CLAIM };
        line.into_iter().take(limit).take_while(|id| self.jobs[id].due == When::Now).collect()
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

    // ── Recorded ─────────────────────────────────────────────────────────────────────────────────

    /// A T1 committed: these events, in this order. `seq` is what the database says.
    pub(super) fn record(
        &mut self,
        events: &[(usize, Uuid)],
        seq: impl Fn(JobId) -> Option<Option<i64>>,
    ) -> Result<(), Violation> {
        let mut touched = BTreeSet::new();
        for (event, delivery) in events {
            self.events[*event].standing = Standing::Recorded;
            self.events[*event].delivery = *delivery;
            for handler in self.events[*event].handlers() {
                let id = JobId { event: *event, handler, run: 0 };
                let given = seq(id).ok_or_else(|| format!("nothing lost: {id:?} was acknowledged and is not there"))?;
                let lane = (handler.policy() == Policy::Block).then_some(self.events[*event].key);
                if let Some(key) = lane {
                    let before = self.highest.get(&key).copied();
                    if given <= before {
                        return Err(format!("seq = commit order: {id:?} has {given:?} after {before:?}"));
                    }
                    self.highest.extend(given.map(|given| (key, given)));
                    touched.insert(key);
                }
                self.jobs.insert(id, Job::new(0, lane, given));
                self.hit("received → ready");
            }
        }
        for key in touched {
            let fresh = !self.lanes.contains_key(&key);
            let lane = self.lanes.entry(key).or_insert_with(Lane::idle);
            if lane.state == LaneState::Idle || lane.snoozed > 0 {
                lane.due = When::Now;
            }
            let was = lane.state;
            lane.wake();
            self.hit(match (fresh, was) {
                (true, _) => "lane made",
                (false, LaneState::Idle) => "lane idle → ready, by a T1",
                (false, LaneState::Ready) => "lane ready, and a T1",
                (false, LaneState::Claimed) => "lane claimed, and a T1",
            });
        }
        Ok(())
    }

    /// The same event came again: dead work is queued afresh, waiting work is due. Whether any was dead, and whether any
    /// waited.
    pub(super) fn copy(&mut self, event: usize) -> (bool, bool) {
        self.lock(event, &[]);
        let redriven = self.redrive(event, &Handler::ALL, "dead → ready, by a redelivery");
        let hastened = self.hasten(event, &Handler::ALL);
        if !redriven && !hastened {
            self.hit("duplicate noted");
        }
        (redriven, hastened)
    }

    /// Locking a lane that was purged makes it anew, idle.
    fn lock(&mut self, event: usize, more: &[Key]) {
        let lost = self.dead.iter().filter(|(id, _)| id.event == event).filter_map(|(_, dead)| dead.lane);
        for key in lost.chain(more.iter().copied()).collect::<Vec<_>>() {
            self.lanes.entry(key).or_insert_with(Lane::idle);
        }
    }

    fn redrive(&mut self, event: usize, handlers: &[Handler], how: &'static str) -> bool {
        let wanted = |id: &JobId| id.event == event && handlers.contains(&id.handler);
        let tickets: Vec<JobId> = self.dead.keys().copied().filter(wanted).collect();
        for id in &tickets {
            let Some(dead) = self.dead.remove(id) else { continue };
            let mut job = Job { attempt: dead.attempt, ..Job::new(1, dead.lane, dead.seq) };
            if let Some(key) = dead.lane {
                job.out_of_order = self.queue_in(key, dead.seq);
            }
            self.jobs.insert(*id, job);
            self.snoozes.remove(id);
            self.hit(how);
        }
        !tickets.is_empty()
    }

    /// A job comes back to a lane: whether a later one is done.
    fn queue_in(&mut self, key: Key, seq: Option<i64>) -> bool {
        let lane = self.lanes.entry(key).or_insert_with(Lane::idle);
        lane.wake();
        lane.due = When::Now;
        seq.is_some_and(|seq| lane.done_seq > seq)
    }

    fn hasten(&mut self, event: usize, handlers: &[Handler]) -> bool {
        let mut any = false;
        let wanted = |id: &JobId| id.event == event && handlers.contains(&id.handler);
        for (_, job) in self.jobs.iter_mut().filter(|(id, job)| wanted(id) && job.state == State::Waiting) {
            (job.due, job.aside, any) = (When::Now, None, true);
            if let Some(lane) = job.lane.and_then(|key| self.lanes.get_mut(&key))
                && lane.state == LaneState::Ready
            {
                lane.due = When::Now;
            }
        }
        if any {
            self.hit("waiting, and hastened");
        }
        any
    }

    // ── Replayed ─────────────────────────────────────────────────────────────────────────────────

    /// What a replay decides to do when it looks.
    pub(super) fn plan(&self, event: usize, force: bool) -> Vec<(Handler, Act)> {
        let of = |handler| move |id: &JobId| (id.event, id.handler) == (event, handler);
        let act = |handler| {
            if self.jobs.keys().any(of(handler)) {
                Act::Hasten
            } else if self.dead.keys().any(of(handler)) {
                Act::Redrive
            } else if force {
                let attempts = self.attempts.iter().filter(|((id, _), _)| of(handler)(id));
                Act::Repeat { seq: attempts.map(|(_, attempt)| attempt.seq).max().flatten() }
            } else {
                Act::Leave
            }
        };
        self.events[event].handlers().map(|handler| (handler, act(handler))).collect()
    }

    /// What it then does: how many it queued, and hastened.
    pub(super) fn replay(&mut self, event: usize, plan: &[(Handler, Act)], run: Option<i32>) -> (usize, usize) {
        let key = self.events[event].key;
        let repeats =
            |(handler, act): &&(Handler, Act)| matches!(act, Act::Repeat { .. }) && handler.policy() == Policy::Block;
        let more = if plan.iter().any(|part| repeats(&part)) { vec![key] } else { vec![] };
        self.lock(event, &more);
        let dead: Vec<Handler> =
            plan.iter().filter(|(_, act)| *act == Act::Redrive).map(|(handler, _)| *handler).collect();
        self.redrive(event, &dead, "dead → ready, by an operator");
        let (mut queued, mut hastened) = (0, 0);
        for (handler, act) in plan {
            match act {
                Act::Redrive | Act::Leave => {}
                Act::Hasten => hastened += usize::from(self.hasten(event, &[*handler])),
                Act::Repeat { seq } => {
                    queued += 1;
                    let id = JobId { event, handler: *handler, run: run.unwrap_or_default() };
                    let lane = (handler.policy() == Policy::Block).then_some(key);
                    let mut job = Job::new(2, lane, *seq);
                    if let Some(key) = lane {
                        job.out_of_order = self.queue_in(key, *seq);
                    }
                    self.jobs.insert(id, job);
                    self.hit("done → ready, as a run of its own");
                }
            }
        }
        (queued, hastened)
    }

    // ── Claimed ──────────────────────────────────────────────────────────────────────────────────

    fn holder(&self, held: Held) -> Option<Token> {
        match held {
            Held::Lane(key) => self.lanes.get(&key)?.holder,
            Held::Job(id) => self.jobs.get(&id)?.holder,
        }
    }

    pub(super) fn holds(&self, work: &Work) -> bool {
        self.holder(work.held) == Some(work.token)
    }

    /// What a claim of this would run.
    pub(super) fn first(&self, held: Held) -> Option<JobId> {
        match held {
            Held::Lane(key) => self.runnable(key).front().copied(),
            Held::Job(id) => Some(id),
        }
    }

    /// A look claimed this and began with `work.job`. Fills in what follows it.
    pub(super) fn claim(&mut self, work: &mut Work, locked: &BTreeSet<Held>) -> Result<i32, Violation> {
        let (held, first) = (work.held, work.job);
        if locked.contains(&held) {
            return Err(format!("one at a time: {held:?} was claimed while another transaction had it"));
        }
        if let Some(other) = self.holder(held) {
            return Err(format!("one at a time: {held:?} was claimed while {other:?} holds it"));
        }
        if !self.claimable(first.handler).contains(&held) {
            return Err(format!("{held:?} was claimed and had nothing that may run"));
        }
        match held {
            Held::Lane(key) => {
                let mut runnable = self.runnable(key);
                let head = runnable.pop_front();
                if head != Some(first) {
                    return Err(format!("order: lane {key} began with {first:?} and not with {head:?}"));
                }
                work.rest = runnable;
                if let Some(lane) = self.lanes.get_mut(&key) {
                    (lane.state, lane.holder) = (LaneState::Claimed, Some(work.token));
                }
                self.hit("lane ready → claimed");
            }
            Held::Job(id) => {
                if let Some(job) = self.jobs.get_mut(&id) {
                    job.holder = Some(work.token);
                }
            }
        }
        self.start(first)
    }

    fn start(&mut self, id: JobId) -> Result<i32, Violation> {
        let job = self.jobs.get_mut(&id).ok_or_else(|| format!("{id:?} started and is not there"))?;
        let hit = match (job.state, job.lane) {
            (State::Running, _) => return Err(format!("one at a time: {id:?} started twice")),
            (State::Ready, Some(_)) => "ready → running, in a lane",
            (State::Ready, None) => "ready → running, alone",
            (State::Waiting, Some(_)) => "waiting → running, in a lane",
            (State::Waiting, None) => "waiting → running, alone",
        };
        (job.state, job.aside) = (State::Running, None);
        job.attempt += 1;
        let done = job.lane.and_then(|key| self.lanes.get(&key)).map_or(0, |lane| lane.done_seq);
        job.out_of_order |= job.seq.is_some_and(|seq| job.lane.is_some() && done > seq);
        let attempt = job.attempt;
        self.hit(hit);
        Ok(attempt)
    }

    /// A lane looked ready and was not; the look put it off.
    pub(super) fn put_off(&mut self, key: Key) {
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.due = When::Later;
        }
        self.hit("lane claimed → ready, nothing may run");
    }

    // ── Settled ──────────────────────────────────────────────────────────────────────────────────

    fn transition(&self, id: JobId, end: End) -> Transition {
        let job = &self.jobs[&id];
        let failed = |when| match (job.failures + 1 >= Handler::ATTEMPTS, when, job.lane, id.handler.policy()) {
            (true, ..) => Transition::Dead("exhausted"),
            (false, End::Long, Some(_), Policy::Block) => Transition::Outside(When::Later),
            (false, End::Short | End::Long, ..) => Transition::Retry(When::Later),
            _ => Transition::Retry(When::Now),
        };
        match end {
            End::Ok => Transition::Done,
            End::Short | End::Long | End::Panic => failed(end),
            End::Permanent => Transition::Dead("permanent"),
            End::Undecodable => Transition::Dead("undecodable"),
            End::Escape => Transition::Dead("transaction_escaped"),
            End::Snooze if self.snoozes.get(&id).copied().unwrap_or(0) < Handler::SNOOZES => Transition::Aside,
            End::Snooze => failed(End::Panic),
        }
    }

    /// The handler ended. A claim that was lost changes nothing.
    pub(super) fn settle(&mut self, work: &mut Work, end: End) -> Result<Went, Violation> {
        let id = work.job;
        if !self.holds(work) {
            self.hit(if work.wrote { "fenced, and its effect rolled back" } else { "fenced" });
            return Ok(Went::Ended);
        }
        let transition = self.transition(id, end);
        let Some(job) = self.jobs.get_mut(&id) else {
            return Err(format!("{id:?} is held, runs, and is not there"));
        };
        let before = job.clone();
        job.holder = None;
        let attempt = Attempt { outcome: end.outcome(), out_of_order: job.out_of_order, seq: job.seq };
        if self.attempts.insert((id, before.attempt), attempt).is_some() {
            return Err(format!("attempt numbers are unique: {id:?} had {} twice", before.attempt));
        }
        let in_lane = before.lane.is_some();
        self.ledger.hit(transition.told(in_lane, end));
        match transition {
            Transition::Done => {
                self.jobs.remove(&id);
                if work.wrote {
                    self.hit("done, with an effect");
                    if !self.effects.insert(id) {
                        return Err(format!("none twice done: {id:?}"));
                    }
                }
            }
            Transition::Dead(reason) => self.bury(id, reason),
            Transition::Retry(when) => {
                job.state = State::Waiting;
                (job.due, job.failures, job.class) = (when, job.failures + 1, job.class.max(1));
            }
            Transition::Outside(when) => {
                job.state = State::Waiting;
                (job.due, job.failures, job.class) = (when, job.failures + 1, job.class.max(1));
                (job.home, job.lane, job.out_of_order) = (job.lane, None, true);
            }
            Transition::Aside => {
                (job.state, job.aside) = (State::Waiting, Some(When::Later));
                *self.snoozes.entry(id).or_default() += 1;
            }
        }
        work.wrote = false;
        let Held::Lane(key) = work.held else {
            return Ok(Went::Ended);
        };
        match transition {
            Transition::Done | Transition::Dead(_) => self.ended_in(key, before.seq),
            Transition::Aside => self.lanes.entry(key).or_insert_with(Lane::idle).snoozed += 1,
            Transition::Retry(_) | Transition::Outside(_) => {}
        }
        let next = if transition == Transition::Done { work.rest.pop_front() } else { None };
        if let Some(next) = next {
            if self.may_start(next) {
                work.job = next;
                self.hit("next in its lane");
                return Ok(Went::Next(next, self.start(next)?));
            }
            self.hit("next in its lane, but one before it came back");
        }
        self.release(key, if let Transition::Retry(when) = transition { when } else { When::Now });
        Ok(Went::Ended)
    }

    /// A later one may not start while an earlier one of its lane could.
    fn may_start(&self, id: JobId) -> bool {
        let Some(job) = self.jobs.get(&id) else { return false };
        let first = job.lane.and_then(|key| self.line(key).first().copied());
        let overtakes = first.is_some_and(|first| (self.jobs[&first].seq, first.run) < (job.seq, id.run));
        job.state != State::Running && !overtakes
    }

    fn bury(&mut self, id: JobId, reason: &'static str) {
        if let Some(job) = self.jobs.remove(&id) {
            let dead = Dead { lane: job.lane.or(job.home), seq: job.seq, attempt: job.attempt, reason };
            self.dead.insert(id, dead);
        }
    }

    /// A job of the lane ended: whoever stands aside for it may look again, and is given back the time it did not stand.
    fn ended_in(&mut self, key: Key, seq: Option<i64>) {
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        lane.done_seq = lane.done_seq.max(seq.unwrap_or(0));
        if std::mem::take(&mut lane.snoozed) == 0 {
            return;
        }
        for (id, job) in self.jobs.iter_mut().filter(|(_, job)| job.lane == Some(key)) {
            if job.aside.take() == Some(When::Later) {
                *self.snoozes.entry(*id).or_default() -= 1;
                self.ledger.hit("aside, and another job of its lane ended");
            }
        }
    }

    fn release(&mut self, key: Key, due: When) {
        let state = if self.pending(key) > 0 { LaneState::Ready } else { LaneState::Idle };
        if let Some(lane) = self.lanes.get_mut(&key) {
            *lane = Lane { state, due, holder: None, ..lane.clone() };
        }
        self.hit(if state == LaneState::Ready { "lane claimed → ready" } else { "lane claimed → idle" });
    }

    // ── Given back, and rescued ──────────────────────────────────────────────────────────────────

    fn running_in(&self, held: Held) -> Option<JobId> {
        match held {
            Held::Lane(key) => self.in_lane(key).find(|(_, job)| job.state == State::Running).map(|(id, _)| *id),
            Held::Job(id) => Some(id),
        }
    }

    /// A claim ends before its work is done.
    pub(super) fn hand_back(&mut self, held: Held, token: Token, back: Back) {
        if self.holder(held) != Some(token) {
            return self.hit("fenced, handing back");
        }
        let running = self.running_in(held);
        if let Some(job) = running.and_then(|id| self.jobs.get_mut(&id)) {
            (job.state, job.holder) = (State::Ready, None);
            match back {
                Back::NotStarted(when) => {
                    job.attempt -= 1;
                    if when == When::Later && job.lane.is_none() {
                        job.due = When::Later;
                    }
                    self.hit("running → ready, not started");
                }
                Back::Interrupted => {
                    self.hit("running → ready, interrupted");
                    self.lose(running);
                }
            }
        }
        if let Held::Lane(key) = held {
            self.release(key, if back == Back::NotStarted(When::Later) { When::Later } else { When::Now });
        }
    }

    /// The attempt that nobody saw the end of.
    fn lose(&mut self, id: Option<JobId>) {
        if let Some(id) = id
            && let Some(job) = self.jobs.get(&id)
        {
            let lost = Attempt { outcome: "lost", out_of_order: false, seq: job.seq };
            self.attempts.insert((id, job.attempt), lost);
        }
    }

    /// What is held under these tokens.
    pub(super) fn held_by(&self, is_meant: impl Fn(Token) -> bool) -> Vec<(Held, Token)> {
        let lanes = self.lanes.iter().filter_map(|(key, lane)| Some((Held::Lane(*key), lane.holder?)));
        let jobs = self.jobs.iter().filter_map(|(id, job)| Some((Held::Job(*id), job.holder?)));
        lanes.chain(jobs).filter(|(_, token)| is_meant(*token)).collect()
    }

    /// Maintenance found these workers silent. What others have locked is left alone.
    pub(super) fn rescue(&mut self, is_silent: impl Fn(Uuid) -> bool, locked: &BTreeSet<Held>) {
        for (held, _) in self.held_by(|token| is_silent(token.worker)) {
            if locked.contains(&held) {
                self.hit("rescue passed by what was being settled");
                continue;
            }
            let running = self.running_in(held);
            self.lose(running);
            if let Some(id) = running
                && let Some(job) = self.jobs.get_mut(&id)
            {
                if job.rescues + 1 >= Handler::RESCUES {
                    let seq = job.seq;
                    self.bury(id, "poison");
                    self.hit("running → dead, poison");
                    if let Held::Lane(key) = held {
                        self.ended_in(key, seq);
                    }
                } else {
                    (job.state, job.holder) = (State::Ready, None);
                    job.rescues += 1;
                    self.hit("running → ready, rescued");
                }
            }
            if let Held::Lane(key) = held {
                self.release(key, When::Now);
            }
        }
    }

    // ── Time, and what is kept ───────────────────────────────────────────────────────────────────

    pub(super) fn pass_time(&mut self) {
        for job in self.jobs.values_mut() {
            job.due = When::Now;
            job.aside = job.aside.map(|_| When::Now);
        }
        for lane in self.lanes.values_mut() {
            lane.due = When::Now;
        }
    }

    pub(super) fn purge(&mut self) {
        let before = self.lanes.len();
        self.lanes.retain(|_, lane| lane.state != LaneState::Idle);
        if self.lanes.len() < before {
            self.hit("lane idle → purged");
        }
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
