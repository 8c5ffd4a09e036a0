//! The real stages and the reference side by side: each operation is carried out by the one, judged by the other, and
//! then every row is compared.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::super::hand_back::{Back, give_back, sweep};
use super::super::{introduce, rescue};
use super::operation::{End, Operation, Sending, Takers};
use super::process::{Command, LEASE, Looked, PLACES, Process, Slot, Started};
use super::reference::{self, Act, Event, Handler, Held, JobId, Reference, Standing, Violation, Went, Work};
use super::rows::{self, Rows};
use super::stage::Stage;
use crate::receive::arrival::Arrival;
use crate::receive::record::{NotDurable, Recorded};
use crate::receive::reply::Status;
use crate::replay::{self, ReplayError, Replayed};
use crate::store::{self, lanes, workers};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct World<'s> {
    pub(super) stage: &'s mut Stage,
    pub(super) processes: [Process; 2],
    pub(super) reference: Reference,
    /// Workers that did not speak for a lease.
    pub(super) lapsed: BTreeSet<Uuid>,
    /// Who was told that there may be work and has not looked since.
    pub(super) heard: [bool; 2],
    /// Who must have been told by the operation that just was.
    owed: [bool; 2],
    /// Whether workers also look without having been told.
    polls: bool,
    /// Everything only comes to its end: the rows are compared when it has.
    ending: bool,
}

/// A request that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message {
    pub(super) event: usize,
    pub(super) delivery: Uuid,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fresh,
    Copy,
    Conflict,
}

/// Something under way.
pub(super) enum Doing {
    Receive(Vec<(Message, JoinHandle<Result<Recorded, NotDurable>>)>),
    Look(usize, JoinHandle<sqlx::Result<Looked>>),
    Settle { process: usize, slot: usize, end: End },
    Rescue(JoinHandle<sqlx::Result<usize>>),
    Replay { event: usize, plan: Vec<(Handler, Act)>, task: JoinHandle<Result<Replayed, ReplayError>> },
}

/// What came of it.
pub(super) enum Seen {
    Received(Vec<(Message, Result<Recorded, NotDurable>)>),
    Looked { process: usize, places: [usize; 2], found: Vec<(Slot, Started)> },
    Settled { process: usize, slot: usize, end: End, next: Option<Started> },
    Rescued,
    Replayed { event: usize, plan: Vec<(Handler, Act)>, done: Replayed },
}

/// What happened at the same moment.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// What another transaction had locked all the while.
    pub(super) locked: BTreeSet<Held>,
    /// Others looked, too: this one need not have found everything.
    pub(super) others: bool,
}

impl<'s> World<'s> {
    pub(super) async fn begin(stage: &'s mut Stage, polls: bool) -> Result<Self, Violation> {
        stage.clear().await?;
        for wake in &stage.wakes {
            while wake.poked().now_or_never().is_some() {}
        }
        let processes = [0, 1].map(|n: usize| Process::new(stage.pool.clone(), Arc::clone(&stage.wakes[n])));
        for process in &processes {
            introduce(&process.worker, &stage.pool).await.map_err(|error| error.to_string())?;
        }
        let (reference, lapsed) = (Reference::default(), BTreeSet::new());
        Ok(Self { stage, processes, reference, lapsed, heard: [true; 2], owed: [false; 2], polls, ending: false })
    }

    /// One operation, and everything looked at after it. `false`: there was nothing to do it with.
    pub(super) async fn step(&mut self, operation: &Operation) -> Result<bool, Violation> {
        let step = async {
            let happened = self.carry_out(operation).await?;
            if happened {
                self.hear()?;
                if !self.ending {
                    self.rows().await?.compare(&self.reference)?;
                }
            }
            Ok(happened)
        };
        tokio::time::timeout(PATIENCE, step).await.map_err(|_| "it hangs".to_owned())?
    }

    pub(super) async fn rows(&mut self) -> Result<Rows, Violation> {
        Rows::read(&mut self.stage.observer, &self.stage.names).await
    }

    /// Who was told that there is work, and whether those who had to be told were.
    fn hear(&mut self) -> Result<(), Violation> {
        let poked = [0, 1].map(|n: usize| self.stage.wakes[n].poked().now_or_never().is_some());
        for n in [0, 1] {
            if std::mem::take(&mut self.owed[n]) && !poked[n] {
                return Err(format!("wake-up: work was committed, and process {n} was not told"));
            }
            // What the gateway's process says, the other one hears: that is LISTEN's part, and not tried here.
            self.heard[n] |= poked[n] || poked[0];
        }
        Ok(())
    }

    async fn carry_out(&mut self, operation: &Operation) -> Result<bool, Violation> {
        match operation {
            Operation::Receive(_)
            | Operation::Look(_)
            | Operation::Settle(..)
            | Operation::Rescue
            | Operation::Replay { .. } => {
                let Some(doing) = self.start(operation).await? else { return Ok(false) };
                let seen = self.finish(doing).await?;
                self.judge(seen, &Beside::default()).await?;
            }
            Operation::ReceiveReadOnly(sending) => return self.receive_read_only(*sending).await,
            Operation::LookInVain { process, later } => return self.look_in_vain(*process, *later).await,
            Operation::Write(slot) => return self.write(*slot).await,
            Operation::Silence(process) => self.silence(self.processes[*process].id()).await?,
            Operation::Beat(process) => self.beat(*process).await?,
            Operation::Crash(process) => self.crash(*process).await?,
            Operation::LoseTask(slot) => return self.lose_task(*slot).await,
            Operation::Stop(process) => self.stop(*process).await?,
            Operation::PassTime => self.pass_time().await?,
            Operation::Purge => {
                lanes::purge_idle(&mut self.stage.observer, Duration::ZERO, 100).await.map_err(text)?;
                self.reference.purge();
            }
            Operation::BesideT1 { held, beside } => return self.beside_t1(held, beside).await,
            Operation::BesideSettle { slot, end, beside } => return self.beside_settle(*slot, *end, beside).await,
            Operation::BesideRescue { slot, end } => return self.beside_rescue(*slot, *end).await,
            Operation::Cross(keys) => self.cross(*keys).await?,
            Operation::TwoCopies(event) => return self.two_copies(*event).await,
            Operation::CopyAndReplay(event) => return self.copy_and_replay(*event).await,
            Operation::TwoLooks => return self.two_looks().await,
        }
        Ok(true)
    }

    // ── Under way ────────────────────────────────────────────────────────────────────────────────

    /// Starts an operation without waiting for its end. `None`: there is nothing to do it with.
    pub(super) async fn start(&mut self, operation: &Operation) -> Result<Option<Doing>, Violation> {
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

    pub(super) fn is_done(&self, doing: &Doing) -> bool {
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

    pub(super) async fn finish(&mut self, doing: Doing) -> Result<Seen, Violation> {
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
                let Looked { claims, mut asked } = task.await.map_err(text)?.map_err(text)?;
                let mut found = Vec::new();
                for claim in claims {
                    let (token, held) = (claim.token(), self.held(claim.held())?);
                    let (task, started) = self.processes[process].start(claim, &mut asked).await?;
                    let job = self.job(&started, held)?;
                    let work = Work { token, held, job, rest: Default::default(), wrote: false };
                    found.push((Slot { work, task, commands: started.commands.clone() }, started));
                }
                Seen::Looked { process, places, found }
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

    fn held(&self, held: store::Held) -> Result<Held, Violation> {
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
    pub(super) fn find(&self, number: usize) -> Option<(usize, usize)> {
        let slots = |process: usize| (0..self.processes[process].slots.len()).map(move |slot| (process, slot));
        let all: Vec<_> = slots(0).chain(slots(1)).collect();
        (!all.is_empty()).then(|| all[number % all.len()])
    }

    /// A recorded event, by any number.
    pub(super) fn recorded(&self, number: usize) -> Option<usize> {
        let events = self.reference.events.iter().zip(0..);
        let recorded: Vec<usize> = events.filter(|(e, _)| e.standing == Standing::Recorded).map(|(_, n)| n).collect();
        (!recorded.is_empty()).then(|| recorded[number % recorded.len()])
    }

    // ── Received ─────────────────────────────────────────────────────────────────────────────────

    /// Makes the requests. One that was never acknowledged is new whenever it is sent again.
    pub(super) fn prepare(&mut self, sendings: &[Sending]) -> Result<Vec<(Message, Arrival)>, Violation> {
        let mut prepared = Vec::new();
        for sending in sendings {
            let known = self.reference.events.len();
            let (event, body) = match *sending {
                Sending::New { key, takers } => {
                    let standing = Standing::Sent;
                    self.reference.events.push(Event { key, takers, standing, delivery: Uuid::nil() });
                    (known, 0)
                }
                Sending::Again(_) | Sending::Other(_) if known == 0 => continue,
                Sending::Again(n) => (n % known, 0),
                Sending::Other(n) => (n % known, 1),
            };
            let Event { key, takers, standing, .. } = self.reference.events[event];
            let kind = match (standing, body) {
                (Standing::Sent, _) => Kind::Fresh,
                (_, 0) => Kind::Copy,
                _ => Kind::Conflict,
            };
            let body = if kind == Kind::Fresh { 0 } else { body };
            let arrival = self.stage.arrival(&format!("evt_{event}"), key, takers, body)?;
            if kind == Kind::Fresh {
                self.reference.events[event].standing = Standing::InFlight;
                self.stage.names.events.insert(arrival.id, event);
            }
            prepared.push((Message { event, delivery: arrival.id, kind }, arrival));
        }
        Ok(prepared)
    }

    /// What T1 wrote.
    pub(super) async fn judge_new(&mut self, messages: &[Message]) -> Result<bool, Violation> {
        let new: Vec<_> = messages.iter().filter(|message| message.kind == Kind::Fresh).collect();
        if new.is_empty() {
            return Ok(false);
        }
        let rows = self.rows().await?;
        let events: Vec<_> = new.iter().map(|message| (message.event, message.delivery)).collect();
        self.reference.record(&events, |id| rows.jobs.get(&id).map(|job| job.seq))?;
        Ok(events.iter().any(|(event, _)| self.reference.events[*event].takers != Takers::Nobody))
    }

    async fn judge_received(&mut self, answers: Vec<(Message, Result<Recorded, NotDurable>)>) -> Result<(), Violation> {
        let messages: Vec<_> = answers.iter().map(|(message, _)| *message).collect();
        let mut work = self.judge_new(&messages).await?;
        let (mut meant, mut found) = (Vec::new(), Vec::new());
        for (message, answer) in answers {
            let Ok(recorded) = answer else {
                return Err(format!("{message:?} was not recorded: {answer:?}"));
            };
            let event = &self.reference.events[message.event];
            let (status, delivery) = match message.kind {
                Kind::Fresh if event.takers == Takers::Nobody => (Status::Unhandled, message.delivery),
                Kind::Fresh => (Status::Accepted, message.delivery),
                Kind::Conflict => (Status::Conflict, recorded.delivery),
                Kind::Copy => {
                    let delivery = event.delivery;
                    let (redriven, hastened) = self.reference.copy(message.event);
                    work |= redriven || hastened;
                    (if redriven { Status::Requeued } else { Status::Duplicate }, delivery)
                }
            };
            meant.push((status.as_str(), delivery));
            found.push((recorded.status.as_str(), recorded.delivery));
        }
        // Copies of one event are looked up in any order.
        meant.sort_unstable();
        found.sort_unstable();
        if meant != found {
            return Err(format!("the sender was told {found:?}, and should be told {meant:?}"));
        }
        self.owed[0] |= work;
        Ok(())
    }

    async fn receive_read_only(&mut self, sending: Sending) -> Result<bool, Violation> {
        let Some((message, arrival)) = self.prepare(&[sending])?.pop() else { return Ok(false) };
        let answer = self.stage.send(&self.stage.read_only, arrival).await;
        if message.kind == Kind::Fresh {
            self.reference.events[message.event].standing = Standing::Sent;
            self.stage.names.events.remove(&message.delivery);
        }
        self.reference.ledger.hit("refused, and not acknowledged");
        match answer {
            Err(_) => Ok(true),
            Ok(recorded) => Err(format!("acknowledged as {recorded:?}, and nothing was written")),
        }
    }

    // ── Judged ───────────────────────────────────────────────────────────────────────────────────

    pub(super) async fn judge(&mut self, seen: Seen, beside: &Beside) -> Result<(), Violation> {
        match seen {
            Seen::Received(answers) => self.judge_received(answers).await,
            Seen::Looked { process, places, found } => self.judge_look(process, places, found, beside).await,
            Seen::Settled { process, slot, end, next } => self.judge_settle(process, slot, end, next),
            Seen::Rescued => {
                let lapsed = self.lapsed.clone();
                self.reference.rescue(|worker| lapsed.contains(&worker), &beside.locked);
                // A rescue tells nobody: the poll finds what it put back.
                self.heard = [true; 2];
                Ok(())
            }
            Seen::Replayed { event, plan, done } => self.judge_replay(event, &plan, &done),
        }
    }

    async fn judge_look(
        &mut self,
        process: usize,
        places: [usize; 2],
        found: Vec<(Slot, Started)>,
        beside: &Beside,
    ) -> Result<(), Violation> {
        self.heard[process] |= !found.is_empty();
        let vain = self.reference.ready_in_vain();
        let mut taken = [vain.len(), 0];
        for (mut slot, started) in found {
            let attempt = self.reference.claim(&mut slot.work, &beside.locked)?;
            if attempt != started.attempt {
                return Err(format!("{:?} began as attempt {} and not {attempt}", slot.work.job, started.attempt));
            }
            taken[usize::from(slot.work.job.handler == Handler::Free)] += 1;
            self.processes[process].slots.push(slot);
        }
        for (n, handler) in Handler::ALL.into_iter().enumerate() {
            let left = self.reference.claimable(handler);
            if !left.is_empty() && taken[n] < places[n] && beside.locked.is_empty() && !beside.others {
                return Err(format!("a look passed by {left:?}"));
            }
        }
        if !vain.is_empty() {
            let rows = self.rows().await?;
            let later = |key: &u8| rows.lanes.get(key).is_some_and(|lane| lane.due == reference::When::Later);
            for key in vain.into_iter().filter(later) {
                self.reference.put_off(key);
            }
        }
        Ok(())
    }

    fn judge_settle(&mut self, process: usize, slot: usize, end: End, next: Option<Started>) -> Result<(), Violation> {
        let at = &mut self.processes[process].slots[slot];
        let went = self.reference.settle(&mut at.work, end)?;
        match (went, next) {
            (Went::Next(job, attempt), Some(started)) => {
                let found = (self.stage.names.events.get(&started.delivery), started.handler, started.attempt);
                if found != (Some(&job.event), job.handler, attempt) {
                    return Err(format!("order: {found:?} began, and {job:?} should, as attempt {attempt}"));
                }
                at.commands = started.commands;
            }
            (Went::Ended, None) => {
                self.processes[process].slots.remove(slot);
                self.owed[process] = true;
            }
            (Went::Next(job, _), None) => return Err(format!("{job:?} should begin, and nothing did")),
            (Went::Ended, Some(started)) => {
                let next = self.stage.names.events.get(&started.delivery);
                let (handler, attempt) = (started.handler, started.attempt);
                return Err(format!(
                    "order: nothing should begin, and {handler:?} did on event {next:?}, attempt {attempt}"
                ));
            }
        }
        Ok(())
    }

    fn judge_replay(&mut self, event: usize, plan: &[(Handler, Act)], done: &Replayed) -> Result<(), Violation> {
        let redriven = plan.iter().filter(|(_, act)| *act == Act::Redrive).count();
        let (queued, hastened) = self.reference.replay(event, plan, done.run);
        let found = (done.redriven.len(), done.queued.len(), done.hastened.len());
        if found != (redriven, queued, hastened) {
            return Err(format!("a replay came to {done:?}, and should to {:?}", (redriven, queued, hastened)));
        }
        Ok(())
    }

    // ── Workers ──────────────────────────────────────────────────────────────────────────────────

    async fn look_in_vain(&mut self, process: usize, later: bool) -> Result<bool, Violation> {
        let Some(Doing::Look(_, task)) = self.start(&Operation::Look(process)).await? else { return Ok(false) };
        let Looked { claims, asked } = task.await.map_err(text)?.map_err(text)?;
        let vain = self.reference.ready_in_vain();
        let (wait, when) = match later {
            true => (Duration::from_secs(24 * 3600), reference::When::Later),
            false => (Duration::ZERO, reference::When::Now),
        };
        for claim in &claims {
            let (token, held) = (claim.token(), self.held(claim.held())?);
            let job = self.reference.first(held).ok_or_else(|| format!("{held:?} was claimed and is empty"))?;
            let mut work = Work { token, held, job, rest: Default::default(), wrote: false };
            self.reference.claim(&mut work, &BTreeSet::new())?;
            give_back(&self.processes[process].worker, claim.held(), token, Back::NotStarted(wait)).await;
            self.reference.hand_back(held, token, reference::Back::NotStarted(when));
        }
        drop((claims, asked));
        self.heard[process] = true;
        let rows = self.rows().await?;
        for key in vain {
            if rows.lanes.get(&key).is_some_and(|lane| lane.due == reference::When::Later) {
                self.reference.put_off(key);
            }
        }
        Ok(true)
    }

    async fn write(&mut self, slot: usize) -> Result<bool, Violation> {
        let Some((process, slot)) = self.find(slot) else { return Ok(false) };
        let at = &mut self.processes[process].slots[slot];
        if at.work.wrote {
            return Ok(false);
        }
        let (done, written) = tokio::sync::oneshot::channel();
        let _ = at.commands.send(Command::Write(done));
        let wrote = tokio::select! { biased; wrote = written => wrote.is_ok(), _ = &mut at.task => false };
        if !wrote {
            // Told that its claim is gone, the handler fails, and its settle is fenced.
            let _ = (&mut at.task).await;
            if self.reference.holds(&at.work) {
                return Err("a handler was refused its transaction, and its claim stands".to_owned());
            }
            return self.judge_settle(process, slot, End::Panic, None).map(|()| true);
        }
        at.work.wrote = true;
        if !self.reference.holds(&at.work) {
            return Err("a handler was lent a transaction, and its claim is lost".to_owned());
        }
        Ok(true)
    }

    pub(super) async fn silence(&mut self, worker: Uuid) -> Result<(), Violation> {
        self.lapsed.insert(worker);
        let sql =
            format!("update hookgate.workers set heartbeat_at = now() - interval '2 hours' where id = '{worker}'");
        self.stage.run(&sql).await
    }

    async fn beat(&mut self, process: usize) -> Result<(), Violation> {
        let (worker, pool) = (Arc::clone(&self.processes[process].worker), self.stage.pool.clone());
        if !workers::beat(&mut self.stage.observer, worker.id).await.map_err(text)? {
            introduce(&worker, &pool).await.map_err(text)?;
        }
        self.lapsed.remove(&worker.id);
        let live: BTreeSet<i64> = self.processes[process].slots.iter().map(|slot| slot.work.token.n).collect();
        let strays = self.reference.held_by(|token| token.worker == worker.id && !live.contains(&token.n));
        sweep(&worker, &pool).await.map_err(text)?;
        for (held, token) in strays {
            self.reference.ledger.hit("stray handed back");
            self.reference.hand_back(held, token, reference::Back::Interrupted);
            self.owed[process] = true;
            self.heard = [true; 2];
        }
        Ok(())
    }

    /// Nothing of the process goes on, and nothing of it is told to the database.
    async fn crash(&mut self, process: usize) -> Result<(), Violation> {
        for slot in std::mem::take(&mut self.processes[process].slots) {
            slot.task.abort();
            let _ = slot.task.await;
            self.reference.ledger.hit("crashed while running");
        }
        self.silence(self.processes[process].id()).await?;
        self.replace(process).await
    }

    async fn replace(&mut self, process: usize) -> Result<(), Violation> {
        let wake = Arc::clone(&self.stage.wakes[process]);
        self.processes[process] = Process::new(self.stage.pool.clone(), wake);
        introduce(&self.processes[process].worker, &self.stage.pool).await.map_err(text)?;
        self.heard = [true; 2];
        Ok(())
    }

    async fn lose_task(&mut self, slot: usize) -> Result<bool, Violation> {
        let Some((process, slot)) = self.find(slot) else { return Ok(false) };
        let slot = self.processes[process].slots.remove(slot);
        slot.task.abort();
        let _ = slot.task.await;
        self.heard[process] = true;
        self.reference.ledger.hit("task lost");
        Ok(true)
    }

    async fn stop(&mut self, process: usize) -> Result<(), Violation> {
        let worker = Arc::clone(&self.processes[process].worker);
        worker.stop.cancel();
        Arc::clone(&worker).run(Duration::ZERO).await;
        for slot in std::mem::take(&mut self.processes[process].slots) {
            let Work { held, token, .. } = slot.work;
            self.reference.hand_back(held, token, reference::Back::Interrupted);
        }
        workers::leave(&mut self.stage.observer, worker.id).await.map_err(text)?;
        // It speaks no more, so what it lost sight of is found.
        self.silence(worker.id).await?;
        self.replace(process).await
    }

    async fn pass_time(&mut self) -> Result<(), Violation> {
        self.stage
            .run(
                "with j as (update hookgate.jobs set due = least(due, now()),
                                   snoozed_until = case when snoozed_until is not null then least(snoozed_until, now()) end)
                 update hookgate.lanes set due = least(due, now())",
            )
            .await?;
        self.reference.pass_time();
        self.heard = [true; 2];
        Ok(())
    }

    // ── The end ──────────────────────────────────────────────────────────────────────────────────

    /// Lets everything come to its end, and looks whether nothing is lost and nothing was done twice.
    pub(super) async fn end(&mut self) -> Result<(), Violation> {
        (self.polls, self.ending) = (false, true);
        while self.heard != [false; 2] {
            self.work_off().await?;
        }
        for handler in Handler::ALL {
            let left = self.reference.claimable(handler);
            if !left.is_empty() {
                return Err(format!("wake-up: nobody was told of {left:?}"));
            }
        }
        self.reference.ledger.hit("all that was ready was found by whoever was told");
        let mut rounds = 0;
        while !self.reference.jobs.is_empty() {
            rounds += 1;
            if rounds > 100 {
                return Err(format!("nothing lost: {:?} never end", self.reference.jobs.keys()));
            }
            for operation in [Operation::Beat(0), Operation::Beat(1), Operation::Rescue, Operation::PassTime] {
                self.step(&operation).await?;
            }
            self.work_off().await?;
        }
        self.rows().await?.compare(&self.reference)?;
        rows::compare_what_was_done(&mut self.stage.observer, &self.stage.names, &self.reference).await?;
        self.nothing_lost()
    }

    async fn work_off(&mut self) -> Result<(), Violation> {
        for process in [0, 1] {
            self.step(&Operation::Look(process)).await?;
        }
        while self.find(0).is_some() {
            self.step(&Operation::Settle(0, End::Ok)).await?;
        }
        Ok(())
    }

    /// Every acknowledged event ended: done once, or dead.
    fn nothing_lost(&mut self) -> Result<(), Violation> {
        for (n, event) in self.reference.events.iter().enumerate() {
            for handler in event.handlers().filter(|_| event.standing == Standing::Recorded) {
                let id = JobId { event: n, handler, run: 0 };
                let ok =
                    self.reference.attempts.iter().filter(|((of, _), attempt)| *of == id && attempt.outcome == "ok");
                match (ok.count(), self.reference.dead.contains_key(&id)) {
                    (1, false) | (0, true) => {}
                    (done, dead) => return Err(format!("{id:?} was done {done} times; dead: {dead}")),
                }
            }
        }
        Ok(())
    }
}

pub(super) fn text(error: impl std::fmt::Display) -> Violation {
    error.to_string()
}
