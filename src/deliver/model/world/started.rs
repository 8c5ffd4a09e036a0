//! Operations under way: started, and finished.

use super::{
    Command, Doing, End, Handler, Held, JobId, LEASE, Looked, Operation, PLACES, Process, Seen, Slot, Standing,
    Started, Violation, Work, World, rescue, text,
};
use crate::{replay, store};

impl World<'_> {
    /// Starts an operation without waiting for its end. `None`: there is nothing to do it with.
    pub(crate) async fn start(&mut self, operation: &Operation) -> Result<Option<Doing>, Violation> {
        Ok(match operation {
            Operation::Receive(sendings) => {
                let prepared = self.prepare(sendings)?;
                let send = |(message, arrival)| (message, tokio::spawn(self.stage.send(&self.stage.gateway, arrival)));
                let sent: Vec<_> = prepared.into_iter().map(send).collect();
                (!sent.is_empty()).then_some(Doing::Receive(sent))
            }
            Operation::Look(process) => {
                if !self.polls && !self.heard[*process] {
                    return Ok(None);
                }
                self.heard[*process] = false;
                self.processes[*process].look().await?.map(|task| Doing::Look(*process, task))
            }
            Operation::Settle(slot, end) => self.find(*slot).map(|(process, slot)| {
                let slot_of = &self.processes[process].slots[slot];
                // What it wrote would be committed by the handler itself, and is then nobody's promise.
                let end = if *end == End::Escape && slot_of.work.wrote { End::Permanent } else { *end };
                let _ = slot_of.commands.send(Command::End(end));
                Doing::Settle { process, slot, end }
            }),
            Operation::Rescue => {
                let pool = self.stage.pool.clone();
                let rescues = Handler::RESCUES as u32;
                Some(Doing::Rescue(tokio::spawn(async move { rescue::rescue(&pool, LEASE, rescues).await })))
            }
            Operation::Replay { event, force } => self.recorded(*event).map(|event| {
                let plan = self.reference.plan(event, *force);
                let (pool, delivery) = (self.stage.pool.clone(), self.reference.events[event].delivery);
                let request = replay::Request { handlers: None, force: *force };
                let task = tokio::spawn(async move { replay::one(&pool, delivery, &request, "model").await });
                Doing::Replay { event, plan, task }
            }),
            _ => None,
        })
    }

    pub(crate) fn is_done(&self, doing: &Doing) -> bool {
        match doing {
            Doing::Receive(sent) => sent.iter().all(|(_, task)| task.is_finished()),
            Doing::Look(_, task) => task.is_finished(),
            Doing::Settle { process, slot, .. } => {
                let process = &self.processes[*process];
                process.slots[*slot].task.is_finished() || !process.started.is_empty()
            }
            Doing::Rescue(task) => task.is_finished(),
            Doing::Replay { task, .. } => task.is_finished(),
        }
    }

    pub(crate) async fn finish(&mut self, doing: Doing) -> Result<Seen, Violation> {
        Ok(match doing {
            Doing::Receive(sent) => {
                let mut answers = Vec::new();
                for (message, task) in sent {
                    answers.push((message, task.await.map_err(text)?));
                }
                Seen::Received(answers)
            }
            Doing::Look(process, task) => {
                let places = Handler::ALL.map(|handler| self.places(process, handler));
                let Looked { claims, mut asked, rests } = task.await.map_err(text)?.map_err(text)?;
                let mut found = Vec::new();
                for claim in claims {
                    let (token, held) = (claim.token(), self.held(claim.held())?);
                    let (task, started) = self.processes[process].start(claim, &mut asked).await?;
                    let job = self.job(&started, held)?;
                    let work = Work { token, held, job, rest: Default::default(), suspect: false, wrote: false };
                    found.push((Slot { work, task, commands: started.commands.clone() }, started));
                }
                let rests = rests && found.is_empty();
                Seen::Looked { process, places, found, rests }
            }
            Doing::Settle { process, slot, end } => {
                let Process { started, slots, .. } = &mut self.processes[process];
                let next = tokio::select! {
                    biased;
                    next = started.recv() => next,
                    _ = &mut slots[slot].task => None,
                };
                Seen::Settled { process, slot, end, next }
            }
            Doing::Rescue(task) => {
                task.await.map_err(text)?.map_err(text)?;
                Seen::Rescued
            }
            Doing::Replay { event, plan, task } => {
                let done = task.await.map_err(text)?.map_err(text)?;
                // What the operator's route does then.
                self.stage.wakes[0].poke();
                Seen::Replayed { event, plan, done }
            }
        })
    }

    pub(super) fn held(&self, held: store::Held) -> Result<Held, Violation> {
        Ok(match held {
            store::Held::Lane(lane) => Held::Lane(self.stage.names.key(&hex::encode(lane))?),
            store::Held::Job(key) => Held::Job(self.stage.names.job_of(key)?),
        })
    }

    /// The job that began. Which run it is, only the claim and the order can tell.
    fn job(&self, started: &Started, held: Held) -> Result<JobId, Violation> {
        let subscription = self.stage.names.subscription(started.handler);
        let job = self.stage.names.job(started.delivery, subscription, 0)?;
        let meant = self.reference.first(held).filter(|meant| (meant.event, meant.handler) == (job.event, job.handler));
        Ok(meant.unwrap_or(job))
    }

    fn places(&self, process: usize, handler: Handler) -> usize {
        let taken = self.processes[process].slots.iter().filter(|slot| slot.work.job.handler == handler);
        PLACES - taken.count()
    }

    /// A running task, by any number.
    pub(crate) fn find(&self, number: usize) -> Option<(usize, usize)> {
        let slots = |process: usize| (0..self.processes[process].slots.len()).map(move |slot| (process, slot));
        let all: Vec<_> = slots(0).chain(slots(1)).collect();
        (!all.is_empty()).then(|| all[number % all.len()])
    }

    /// A recorded event, by any number.
    pub(crate) fn recorded(&self, number: usize) -> Option<usize> {
        let events = self.reference.events.iter().zip(0..);
        let recorded: Vec<usize> = events.filter(|(e, _)| e.standing == Standing::Recorded).map(|(_, n)| n).collect();
        (!recorded.is_empty()).then(|| recorded[number % recorded.len()])
    }
}
