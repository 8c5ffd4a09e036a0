//! What ends a claim before its work is done: given back, interrupted, rescued. And time.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{Attempt, Back, Handler, Held, JobId, LaneState, Reference, State, Token, When};

impl Reference {
    fn running_in(&self, held: Held) -> Option<JobId> {
        match held {
            Held::Lane(key) => self.in_lane(key).find(|(_, job)| job.state == State::Running).map(|(id, _)| *id),
            Held::Job(id) => Some(id),
        }
    }

    /// A claim ends before its work is done.
    pub(crate) fn hand_back(&mut self, held: Held, token: Token, back: Back) {
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
    pub(crate) fn held_by(&self, is_meant: impl Fn(Token) -> bool) -> Vec<(Held, Token)> {
        let lanes = self.lanes.iter().filter_map(|(key, lane)| Some((Held::Lane(*key), lane.holder?)));
        let jobs = self.jobs.iter().filter_map(|(id, job)| Some((Held::Job(*id), job.holder?)));
        lanes.chain(jobs).filter(|(_, token)| is_meant(*token)).collect()
    }

    /// Maintenance found these workers silent. What others have locked is left alone.
    pub(crate) fn rescue(&mut self, is_silent: impl Fn(Uuid) -> bool, locked: &BTreeSet<Held>) {
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

    pub(crate) fn pass_time(&mut self) {
        for job in self.jobs.values_mut() {
            job.due = When::Now;
            job.aside = job.aside.map(|_| When::Now);
        }
        for lane in self.lanes.values_mut() {
            lane.due = When::Now;
        }
    }

    pub(crate) fn purge(&mut self) {
        let before = self.lanes.len();
        // What dead jobs came from stays.
        let kept: BTreeSet<_> = self.dead.values().filter_map(|dead| dead.lane).collect();
        self.lanes.retain(|key, lane| lane.state != LaneState::Idle || kept.contains(key));
        if self.lanes.len() < before {
            self.hit("lane idle → purged");
        }
    }
}
