//! Two transactions at once, without luck: one is stopped before its commit, by a lock or by being the history's own,
//! the other runs until it is done or waits, and then the first goes on.

use super::operation::{End, Operation, Sending, Takers};
use super::reference::{Act, Handler, Held, Violation};
use super::world::{Beside, Doing, Message, Seen, World, text};
use crate::receive::arrival::Arrival;
use crate::receive::reply::Status;
use crate::registry::Plan;
use crate::store::record::{self, Batch};
use sqlx::PgConnection;

/// Stops whoever is about to note how an attempt ended: by then it holds its lane or job.
const STOP_BEFORE_ATTEMPTS: &str = "begin; lock table only hookgate.attempts in share mode";

impl World<'_> {
    /// Waits until it is done, or this many wait for a lock. Whether it is done.
    async fn until_it_waits(&mut self, doing: &Doing, waiting: i64) -> Result<bool, Violation> {
        loop {
            tokio::task::yield_now().await;
            if self.is_done(doing) {
                return Ok(true);
            }
            if self.stage.waiting().await? >= waiting {
                return Ok(self.is_done(doing));
            }
        }
    }

    pub(super) async fn beside_t1(&mut self, held: &[Sending], beside: &Operation) -> Result<bool, Violation> {
        let prepared = self.prepare(held)?;
        let (messages, arrivals): (Vec<Message>, Vec<Arrival>) = prepared.into_iter().unzip();
        self.stage.hold("begin").await?;
        write(&mut self.stage.holder, &self.stage.plan, &arrivals).await?;
        let keys = messages.iter().map(|message| &self.reference.events[message.event]);
        let ordered = keys.filter(|event| Handler::Ordered.takes(event.takers));
        let locked = ordered.map(|event| Held::Lane(event.key)).collect();
        let other = match self.start(beside).await? {
            Some(doing) => {
                let done = self.until_it_waits(&doing, 1).await?;
                Some((doing, done))
            }
            None => None,
        };
        match other {
            Some((doing, true)) => {
                let seen = self.finish(doing).await?;
                self.judge(seen, &Beside { locked, others: false }).await?;
                self.stage.hold("commit").await?;
                self.judge_new(&messages).await?;
                self.reference.ledger.hit("beside a T1, without waiting");
            }
            Some((doing, false)) => {
                self.stage.hold("commit").await?;
                let seen = self.finish(doing).await?;
                self.judge_new(&messages).await?;
                self.judge(seen, &Beside::default()).await?;
                self.reference.ledger.hit(match beside {
                    Operation::Receive(_) => "a T1 waited for a T1",
                    Operation::Settle(..) => "a settle waited for a T1",
                    _ => "a replay waited for a T1",
                });
            }
            None => {
                self.stage.hold("commit").await?;
                self.judge_new(&messages).await?;
            }
        }
        // As its gateway does.
        self.stage.wakes[0].poke();
        Ok(true)
    }

    pub(super) async fn beside_settle(&mut self, slot: usize, end: End, beside: &Operation) -> Result<bool, Violation> {
        let Some((process, at)) = self.find(slot) else { return Ok(false) };
        // Two that wait at the same place go on in no particular order.
        let beside = if matches!(beside, Operation::Settle(..)) { &Operation::Rescue } else { beside };
        let work = self.processes[process].slots[at].work.clone();
        if *beside == Operation::Rescue {
            let lapsed = self.lapsed.clone();
            let others =
                self.reference.held_by(|token| lapsed.contains(&token.worker) || token.worker == work.token.worker);
            if others.iter().any(|(held, _)| *held != work.held) {
                return Ok(false);
            }
            self.silence(work.token.worker).await?;
        }
        self.stage.hold(STOP_BEFORE_ATTEMPTS).await?;
        let Some(settle) = self.start(&Operation::Settle(slot, end)).await? else { return Ok(false) };
        let fenced = self.until_it_waits(&settle, 1).await?;
        let other = if fenced { None } else { self.start(beside).await? };
        let other = match other {
            Some(doing) => {
                let done = self.until_it_waits(&doing, 2).await?;
                if done { Some(Err(self.finish(doing).await?)) } else { Some(Ok(doing)) }
            }
            None => None,
        };
        if let Some(Err(seen)) = other {
            let beside = Beside { locked: [work.held].into(), others: false };
            // Judged as of before the settle, so the slots stand as they stood.
            self.judge(seen, &beside).await?;
            self.stage.hold("commit").await?;
            let seen = self.finish(settle).await?;
            self.judge(seen, &Beside::default()).await?;
            self.reference.ledger.hit("beside a settle, without waiting");
            return Ok(true);
        }
        self.stage.hold("commit").await?;
        let seen = self.finish(settle).await?;
        self.judge(seen, &Beside::default()).await?;
        if let Some(Ok(doing)) = other {
            let seen = self.finish(doing).await?;
            self.judge(seen, &Beside::default()).await?;
            self.reference.ledger.hit(match beside {
                Operation::Receive(_) => "a T1 or a redelivery waited for a settle",
                _ => "a replay waited for a settle",
            });
        }
        Ok(true)
    }

    pub(super) async fn beside_rescue(&mut self, slot: usize, end: End) -> Result<bool, Violation> {
        let Some((process, at)) = self.find(slot) else { return Ok(false) };
        let work = self.processes[process].slots[at].work.clone();
        let lapsed = self.lapsed.clone();
        let others =
            self.reference.held_by(|token| token.worker != work.token.worker && lapsed.contains(&token.worker));
        if !others.is_empty() || !self.reference.holds(&work) {
            return Ok(false);
        }
        let attempt = self.reference.jobs.get(&work.job).map_or(0, |job| job.attempt);
        self.silence(work.token.worker).await?;
        self.stage.hold(STOP_BEFORE_ATTEMPTS).await?;
        let Some(rescue) = self.start(&Operation::Rescue).await? else { return Ok(false) };
        self.until_it_waits(&rescue, 1).await?;
        let Some(settle) = self.start(&Operation::Settle(slot, end)).await? else { return Ok(false) };
        self.until_it_waits(&settle, 2).await?;
        self.stage.hold("commit").await?;
        let rescued = self.finish(rescue).await?;
        let settled = self.finish(settle).await?;
        let subscription = self.stage.names.subscription(work.job.handler);
        let outcome: Option<String> = sqlx::query_scalar(
            "select outcome from hookgate.attempts
              where delivery = $1 and subscription = $2 and run = $3 and attempt = $4",
        )
        .bind(self.reference.events[work.job.event].delivery)
        .bind(subscription)
        .bind(work.job.run)
        .bind(attempt)
        .fetch_optional(&mut self.stage.observer)
        .await
        .map_err(text)?;
        if outcome.as_deref() == Some("lost") {
            self.judge(rescued, &Beside::default()).await?;
            self.judge(settled, &Beside::default()).await?;
            self.reference.ledger.hit("a settle waited for a rescue, and was fenced");
        } else {
            self.judge(settled, &Beside::default()).await?;
            self.judge(rescued, &Beside::default()).await?;
            self.reference.ledger.hit("a settle was sooner than a rescue");
        }
        Ok(true)
    }

    pub(super) async fn cross(&mut self, [x, m, y]: [u8; 3]) -> Result<(), Violation> {
        let new = |key: u8| Sending::New { key, takers: Takers::Ordered };
        let held = self.prepare(&[new(m)])?;
        let there = self.prepare(&[new(x), new(m), new(y)])?;
        let back = self.prepare(&[new(y), new(m), new(x)])?;
        let (held, first): (Vec<Message>, Vec<Arrival>) = held.into_iter().unzip();
        let (there, second): (Vec<Message>, Vec<Arrival>) = there.into_iter().unzip();
        let (back, third): (Vec<Message>, Vec<Arrival>) = back.into_iter().unzip();
        self.stage.hold("begin").await?;
        write(&mut self.stage.holder, &self.stage.plan, &first).await?;
        let mut tasks = Vec::new();
        for arrivals in [second, third] {
            let (plan, mut conn) = (self.stage.plan.clone(), self.stage.another_connection().await?);
            tasks.push(tokio::spawn(async move { write(&mut conn, &plan, &arrivals).await }));
            // Each as far as it comes: what one of them locked before it waits, the other finds locked.
            while self.stage.waiting().await? < tasks.len() as i64 && !tasks.iter().any(|task| task.is_finished()) {}
        }
        self.stage.hold("commit").await?;
        for task in tasks {
            task.await.map_err(text)??;
        }
        let rows = self.rows().await?;
        let seq = |messages: &[Message]| {
            let job = rows.jobs.iter().find(|(id, _)| id.event == messages[1].event);
            job.and_then(|(_, job)| job.seq)
        };
        let order = if seq(&there) < seq(&back) { [held, there, back] } else { [held, back, there] };
        for messages in order {
            self.judge_new(&messages).await?;
        }
        self.reference.ledger.hit("two T1s in opposite order");
        self.stage.wakes[0].poke();
        Ok(())
    }

    pub(super) async fn two_copies(&mut self, event: usize) -> Result<bool, Violation> {
        let Some(event) = self.recorded(event) else { return Ok(false) };
        let both = Operation::Receive(vec![Sending::Again(event), Sending::Again(event)]);
        let Some(doing) = self.start(&both).await? else { return Ok(false) };
        let seen = self.finish(doing).await?;
        self.judge(seen, &Beside::default()).await?;
        self.reference.ledger.hit("two redeliveries at once");
        Ok(true)
    }

    pub(super) async fn copy_and_replay(&mut self, event: usize) -> Result<bool, Violation> {
        let Some(event) = self.recorded(event) else { return Ok(false) };
        let nth = self.reference.events.iter().take(event);
        let nth = nth.filter(|e| e.standing == super::reference::Standing::Recorded).count();
        let copy = self.start(&Operation::Receive(vec![Sending::Again(event)])).await?;
        let replay = self.start(&Operation::Replay { event: nth, force: false }).await?;
        let (Some(copy), Some(replay)) = (copy, replay) else { return Ok(false) };
        let (copied, replayed) = (self.finish(copy).await?, self.finish(replay).await?);
        let requeued = matches!(&copied, Seen::Received(answers)
            if answers.iter().any(|(_, answer)| answer.as_ref().is_ok_and(|r| r.status == Status::Requeued)));
        let Seen::Replayed { event, plan, done } = replayed else { return Ok(false) };
        let planned = plan.iter().filter(|(_, act)| *act == Act::Redrive).count();
        if requeued || planned == 0 {
            self.judge(copied, &Beside::default()).await?;
            // It looked before the copy's commit, or after it.
            let plan = if done.redriven.len() == planned { plan } else { self.reference.plan(event, false) };
            self.judge(Seen::Replayed { event, plan, done }, &Beside::default()).await?;
        } else {
            self.judge(Seen::Replayed { event, plan, done }, &Beside::default()).await?;
            self.judge(copied, &Beside::default()).await?;
        }
        self.reference.ledger.hit("a redelivery and a replay at once");
        Ok(true)
    }

    pub(super) async fn two_looks(&mut self) -> Result<bool, Violation> {
        let (one, two) = (self.start(&Operation::Look(0)).await?, self.start(&Operation::Look(1)).await?);
        let both = one.is_some() && two.is_some();
        let mut seen = Vec::new();
        for doing in [one, two].into_iter().flatten() {
            seen.push(self.finish(doing).await?);
        }
        for seen in seen {
            self.judge(seen, &Beside { others: true, ..Beside::default() }).await?;
        }
        // Each may have passed by what the other had in hand.
        self.heard = [true; 2];
        if both {
            self.reference.ledger.hit("two looks at once");
        }
        Ok(both)
    }
}

/// T1 for these arrivals, in whatever transaction is open.
async fn write(conn: &mut PgConnection, plan: &Plan, arrivals: &[Arrival]) -> Result<(), Violation> {
    let source = plan.source("s").ok_or("the source is gone")?;
    let mut batch = Batch::default();
    for arrival in arrivals {
        arrival.push_into(&mut batch, source, plan);
    }
    let written = record::record(&mut *conn, plan.generation, &batch).await.map_err(|error| format!("T1: {error}"))?;
    match written.new.len() == arrivals.len() {
        true => Ok(()),
        false => Err(format!("T1 found {} of {} new", written.new.len(), arrivals.len())),
    }
}
