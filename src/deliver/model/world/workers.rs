//! What befalls workers, and time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::{Command, Doing, End, Looked, Operation, Process, Violation, Work, World, introduce, reference, text};
use crate::deliver::hand_back::{Back, give_back, sweep};
use crate::store::workers;

impl World<'_> {
    pub(super) async fn look_in_vain(&mut self, process: usize, later: bool) -> Result<bool, Violation> {
        let Some(Doing::Look(_, task)) = self.start(&Operation::Look(process)).await? else { return Ok(false) };
        let Looked { claims, asked, .. } = task.await.map_err(text)?.map_err(text)?;
        let vain = self.reference.ready_in_vain();
        let (wait, when) = match later {
            true => (Duration::from_secs(24 * 3600), reference::When::Later),
            false => (Duration::ZERO, reference::When::Now),
        };
        let mut suspected = self.suspected(process)?;
        for claim in &claims {
            let (token, held) = (claim.token(), self.held(claim.held())?);
            let job = self.reference.first(held).ok_or_else(|| format!("{held:?} was claimed and is empty"))?;
            let mut work = Work { token, held, job, rest: Default::default(), suspect: false, wrote: false };
            self.reference.claim(&mut work, &BTreeSet::new())?;
            if work.suspect && std::mem::replace(&mut suspected, true) {
                return Err(format!("suspects: {job:?} was claimed beside another one"));
            }
            give_back(&self.processes[process].worker, claim.held(), token, Back::NotStarted(wait)).await;
            self.reference.hand_back(held, token, reference::Back::NotStarted(when));
        }
        drop((claims, asked));
        self.heard[process] = true;
        self.judge_put_off(vain, suspected).await?;
        Ok(true)
    }

    pub(super) async fn write(&mut self, slot: usize) -> Result<bool, Violation> {
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

    pub(crate) async fn silence(&mut self, worker: Uuid) -> Result<(), Violation> {
        self.lapsed.insert(worker);
        let sql =
            format!("update hookgate.workers set heartbeat_at = now() - interval '2 hours' where id = '{worker}'");
        self.stage.run(&sql).await
    }

    pub(super) async fn beat(&mut self, process: usize) -> Result<(), Violation> {
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
    pub(super) async fn crash(&mut self, process: usize) -> Result<(), Violation> {
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

    pub(super) async fn lose_task(&mut self, slot: usize) -> Result<bool, Violation> {
        let Some((process, slot)) = self.find(slot) else { return Ok(false) };
        let slot = self.processes[process].slots.remove(slot);
        slot.task.abort();
        let _ = slot.task.await;
        self.heard[process] = true;
        self.reference.ledger.hit("task lost");
        Ok(true)
    }

    pub(super) async fn stop(&mut self, process: usize) -> Result<(), Violation> {
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

    pub(super) async fn pass_time(&mut self) -> Result<(), Violation> {
        self.stage
            .run(
                "with j as (update hookgate.jobs set due = least(due, now()),
                                   snoozed_until = case when snoozed_until is not null then least(snoozed_until, now()) end)
                 update hookgate.lanes set due = least(due, now() - interval '1 minute')",
            )
            .await?;
        self.reference.pass_time();
        self.heard = [true; 2];
        Ok(())
    }
}
