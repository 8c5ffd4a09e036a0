//! The real stages and the reference side by side: each operation is carried out by the one, judged by the other, and
//! then every row is compared.

mod judged;
mod started;
mod workers;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::super::{introduce, rescue};
use super::operation::{End, Operation, Sending, Takers};
use super::process::{Command, LEASE, Looked, PLACES, Process, Slot, Started};
use super::reference::{
    self, Act, Event, Handler, Held, JobId, Key, Reference, Standing, State, Violation, Went, Work,
};
use super::rows::{self, Rows};
use super::stage::Stage;
use crate::receive::arrival::Arrival;
use crate::receive::record::{NotDurable, Recorded};
use crate::receive::reply::Status;
use crate::replay::{ReplayError, Replayed};
use crate::store::lanes;

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// More than any history needs to come to its end.
const MOST_ROUNDS: usize = 200;

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
    Looked { process: usize, places: [usize; 2], found: Vec<(Slot, Started)>, rests: bool },
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
                lanes::purge_idle(&mut self.stage.observer, Duration::ZERO, Duration::ZERO, 100).await.map_err(text)?;
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

    /// Lets everything come to its end, and looks whether nothing is lost and nothing was done twice.
    pub(super) async fn end(&mut self) -> Result<(), Violation> {
        (self.polls, self.ending) = (false, true);
        // Whoever ends frees a place, and its worker is told.
        let mut rounds = 0;
        while self.heard != [false; 2] || self.find(0).is_some() {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                return Err("wake-up: looks lead to looks, and to nothing else".to_owned());
            }
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
            if rounds > MOST_ROUNDS {
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
