//! What a claim and a settle do.

use std::collections::BTreeSet;

use super::{
    Attempt, Dead, End, Handler, Held, JobId, Key, Lane, LaneState, Policy, Reference, State, Token, Transition,
    Violation, Went, When, Work,
};

impl Reference {
    pub(super) fn holder(&self, held: Held) -> Option<Token> {
        match held {
            Held::Lane(key) => self.lanes.get(&key)?.holder,
            Held::Job(id) => self.jobs.get(&id)?.holder,
        }
    }

    pub(crate) fn holds(&self, work: &Work) -> bool {
        self.holder(work.held) == Some(work.token)
    }

    /// What a claim of this would run.
    pub(crate) fn first(&self, held: Held) -> Option<JobId> {
        match held {
            Held::Lane(key) => self.runnable(key).front().copied(),
            Held::Job(id) => Some(id),
        }
    }

    /// A look claimed this and began with `work.job`. Fills in what follows it.
    pub(crate) fn claim(&mut self, work: &mut Work, locked: &BTreeSet<Held>) -> Result<i32, Violation> {
        let (held, first) = (work.held, work.job);
        work.suspect = self.is_suspect(first);
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
    pub(crate) fn put_off(&mut self, key: Key, why: &'static str) {
        if let Some(lane) = self.lanes.get_mut(&key) {
            lane.due = When::Later;
        }
        self.hit(why);
    }

    /// A job outside lanes was claimed with another suspect, and put back in the same transaction.
    pub(crate) fn passed_over(&mut self, id: JobId) {
        if let Some(job) = self.jobs.get_mut(&id) {
            (job.state, job.aside) = (State::Ready, None);
        }
        self.hit("suspect alone, beside another one");
    }

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
    pub(crate) fn settle(&mut self, work: &mut Work, end: End) -> Result<Went, Violation> {
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

    pub(super) fn bury(&mut self, id: JobId, reason: &'static str) {
        if let Some(job) = self.jobs.remove(&id) {
            let dead = Dead { lane: job.lane.or(job.home), seq: job.seq, attempt: job.attempt, reason };
            self.dead.insert(id, dead);
        }
    }

    /// A job of the lane ended: whoever stands aside for it may look again, and is given back the time it did not stand.
    pub(super) fn ended_in(&mut self, key: Key, seq: Option<i64>) {
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

    pub(super) fn release(&mut self, key: Key, due: When) {
        let state = if self.pending(key) > 0 { LaneState::Ready } else { LaneState::Idle };
        if let Some(lane) = self.lanes.get_mut(&key) {
            *lane = Lane { state, due, holder: None, ..lane.clone() };
        }
        self.hit(if state == LaneState::Ready { "lane claimed → ready" } else { "lane claimed → idle" });
    }
}
