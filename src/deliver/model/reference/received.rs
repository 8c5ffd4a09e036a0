//! What a T1, a redelivery and a replay do.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{Act, Handler, Job, JobId, Key, Lane, LaneState, Policy, Reference, Standing, State, Violation, When};

impl Reference {
    /// A T1 committed: these events, in this order. `seq` is what the database says.
    pub(crate) fn record(
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
    pub(crate) fn copy(&mut self, event: usize) -> (bool, bool) {
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

    /// What a replay decides to do when it looks.
    pub(crate) fn plan(&self, event: usize, force: bool) -> Vec<(Handler, Act)> {
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
    pub(crate) fn replay(&mut self, event: usize, plan: &[(Handler, Act)], run: Option<i32>) -> (usize, usize) {
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
}
