//! What came of an operation, held against the reference.

use uuid::Uuid;

use super::{
    Act, Arrival, Beside, End, Event, Handler, Held, Key, Kind, Message, NotDurable, Recorded, Replayed, Seen, Sending,
    Slot, Standing, Started, State, Status, Takers, Violation, Went, World, reference,
};

impl World<'_> {
    /// Makes the requests. One that was never acknowledged is new whenever it is sent again.
    pub(crate) fn prepare(&mut self, sendings: &[Sending]) -> Result<Vec<(Message, Arrival)>, Violation> {
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
    pub(crate) async fn judge_new(&mut self, messages: &[Message]) -> Result<bool, Violation> {
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

    pub(super) async fn receive_read_only(&mut self, sending: Sending) -> Result<bool, Violation> {
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

    pub(crate) async fn judge(&mut self, seen: Seen, beside: &Beside) -> Result<(), Violation> {
        match seen {
            Seen::Received(answers) => self.judge_received(answers).await,
            Seen::Looked { process, places, found, rests } => {
                // Whoever claimed something looks again at once.
                self.heard[process] |= !rests;
                self.judge_claims(process, found, beside).await?;
                let unknown = !beside.locked.is_empty() || beside.others;
                if rests && !unknown { self.judge_rest(process, places) } else { Ok(()) }
            }
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

    async fn judge_claims(
        &mut self,
        process: usize,
        found: Vec<(Slot, Started)>,
        beside: &Beside,
    ) -> Result<(), Violation> {
        let vain = self.reference.ready_in_vain();
        for (mut slot, started) in found {
            let attempt = self.reference.claim(&mut slot.work, &beside.locked)?;
            if attempt != started.attempt {
                return Err(format!("{:?} began as attempt {} and not {attempt}", slot.work.job, started.attempt));
            }
            self.processes[process].slots.push(slot);
        }
        let suspected = self.suspected(process)?;
        self.judge_put_off(vain, suspected || beside.others).await
    }

    /// Whoever rests with free places left nothing that it could have claimed.
    fn judge_rest(&mut self, process: usize, places: [usize; 2]) -> Result<(), Violation> {
        let suspects = if self.suspected(process)? { self.reference.suspects() } else { Vec::new() };
        for (handler, places) in Handler::ALL.into_iter().zip(places) {
            let left = self.reference.claimable(handler).into_iter().find(|held| !suspects.contains(held));
            if let Some(left) = left.filter(|_| places > 0) {
                return Err(format!("a look passed by {left:?}"));
            }
        }
        self.reference.ledger.hit("a look, and a rest");
        Ok(())
    }

    /// Whether a suspect runs in this process. There are never two.
    pub(super) fn suspected(&self, process: usize) -> Result<bool, Violation> {
        let running = self.processes[process].slots.iter().filter(|slot| slot.work.suspect);
        let running: Vec<_> = running.map(|slot| slot.work.job).collect();
        match running.len() {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(format!("suspects: {running:?} run at a time in process {process}")),
        }
    }

    /// What a look took and did not start: lanes where nothing may run, and, beside a suspect, others.
    pub(super) async fn judge_put_off(&mut self, vain: Vec<Key>, suspected: bool) -> Result<(), Violation> {
        let suspects = if suspected { self.reference.suspects() } else { Vec::new() };
        let put_off = if suspects.is_empty() { Vec::new() } else { self.stage.settle_half_seconds().await? };
        for key in &put_off {
            if !suspects.contains(&Held::Lane(*key)) {
                return Err(format!("suspects: lane {key} was put off, and its head is none"));
            }
            self.reference.put_off(*key, "lane claimed → ready, its suspect beside another one");
        }
        if vain.is_empty() && suspects.is_empty() {
            return Ok(());
        }
        let rows = self.rows().await?;
        let later = |key: &Key| rows.lanes.get(key).is_some_and(|lane| lane.due == reference::When::Later);
        for key in vain.into_iter().filter(later) {
            self.reference.put_off(key, "lane claimed → ready, nothing may run");
        }
        for held in suspects {
            if let Held::Job(id) = held
                && self.reference.jobs[&id].state == State::Waiting
                && rows.jobs.get(&id).is_some_and(|job| job.state == State::Ready)
            {
                self.reference.passed_over(id);
            }
        }
        Ok(())
    }

    pub(super) fn judge_settle(
        &mut self,
        process: usize,
        slot: usize,
        end: End,
        next: Option<Started>,
    ) -> Result<(), Violation> {
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
}
