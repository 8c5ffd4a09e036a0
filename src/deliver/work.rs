//! Works a claim off: its jobs one after another, each settled before the next starts.

use std::time::Duration;

use super::Worker;
use super::claim::Claim;
use super::execute::{self, Ran};
use super::hand_back::{Back, give_back};
use super::settle::{self, Decision, Settled, Unsettled};
use crate::breaker::{self, Standing};
use crate::handler::Handler;
use crate::job::{self, History, LaneStep, Outcome};
use crate::store::jobs::Job;
use crate::store::partitions::stamped_at;
use crate::telemetry;

/// How often a settle that the database refuses is tried again: a table may be locked away or a right missing for a
/// moment.
const REFUSALS: u32 = 6;

/// How long a job is left alone when the database was in no state to give its payload.
const UNREADABLE: Duration = Duration::from_secs(1);

/// Runs the claim's jobs until one fails, all are done, the worker stops, an operator pauses them, or the claim is lost.
pub(crate) async fn work(worker: &Worker, handler: &Handler, claim: &mut Claim) {
    let (mut job, mut rest) = claim.take_jobs();
    let (held, token) = (claim.held(), claim.token());
    loop {
        if is_held_up(worker, handler, claim) {
            return give_back(worker, held, token, Back::NotStarted(Duration::ZERO)).await;
        }
        let ran = match execute::execute(worker, handler, claim, &job).await {
            Ok(ran) => ran,
            Err(error) => {
                tracing::warn!(%error, handler = %handler.name, "attempt.payload_unreadable");
                return give_back(worker, held, token, Back::NotStarted(UNREADABLE)).await;
            }
        };
        if let Some(name) = &handler.breaker {
            let verdict = breaker::judge(&ran.outcome, ran.status);
            worker.breakers.report(name, token, verdict, claim.is_probe()).await;
        }
        let told = history(worker, handler, claim, &job);
        let transition = job::decide(&ran.outcome, told, &handler.policy, rand::random());
        report(handler, &job, &ran, transition);
        let stands_still = worker.stop.is_cancelled()
            || worker.paused.covers(claim.subscription())
            || is_held_up(worker, handler, claim);
        let next = if stands_still { None } else { rest.next() };
        match settle_surely(worker, handler, claim, &job, ran, transition, next).await {
            Some(Settled::Next(next)) => job = next,
            Some(Settled::Released) => return,
            Some(Settled::Fenced) => {
                metrics::counter!(telemetry::FENCED).increment(1);
                tracing::warn!(handler = %handler.name, delivery = %job.delivery, "attempt.fenced: the claim was lost meanwhile");
                return;
            }
            Some(Settled::Unknown) => return give_back(worker, held, token, Back::NotStarted(Duration::ZERO)).await,
            // Not even this: with the claim forgotten, the next sweep hands it back. The place is free meanwhile.
            None => return,
        }
    }
}

/// Whether the destination is to be left alone, and this claim is not the one that tries it: it opened since the claim was
/// made. What is given back is not claimed again before it closes, so it need not wait by itself.
fn is_held_up(worker: &Worker, handler: &Handler, claim: &Claim) -> bool {
    let name = handler.breaker.as_ref().filter(|_| !claim.is_probe());
    name.is_some_and(|name| worker.breakers.standing(name) != Standing::Closed)
}

/// What the job held its lane up for while its destination was left alone, it is not to blame for.
fn history(worker: &Worker, handler: &Handler, claim: &Claim, job: &Job) -> History {
    let closed_for =
        handler.breaker.as_ref().and_then(|name| worker.breakers.closed_for(name)).unwrap_or(Duration::MAX);
    let failing = job.failing_ms.map(|ms| Duration::from_millis(ms.unsigned_abs()));
    History {
        failures: job.failures.unsigned_abs(),
        snoozed: Duration::from_millis(job.snoozed_ms.unsigned_abs()),
        blocking: failing.filter(|_| job.lane.is_some()).map(|failing| failing.min(closed_for)),
        failing,
        in_lane: job.lane.is_some(),
        latest: claim.is_latest(),
    }
}

/// Settles, however long the database takes: as long as this process says that it lives, nobody else would settle for
/// it, and the fence keeps a claim that was lost meanwhile from being settled twice.
///
/// What the database goes on refusing becomes a failure with the refusal as its error, and `None` if that is refused
/// too.
async fn settle_surely(
    worker: &Worker,
    handler: &Handler,
    claim: &Claim,
    job: &Job,
    mut ran: Ran,
    mut transition: job::Transition,
    next: Option<Job>,
) -> Option<Settled> {
    let mut pause = Pause::default();
    let mut refusals = 0;
    loop {
        let transaction = ran.transaction.take();
        let had_transaction = transaction.is_some();
        let lane = job::decide_lane(transition, claim.is_latest(), handler.policy.on_failure);
        let decision = Decision { job: transition, lane };
        match settle::settle(worker, claim, job, &ran, transaction, decision, next.clone()).await {
            Ok(settled) => {
                if lane == LaneStep::Halts && matches!(settled, Settled::Released) {
                    tracing::warn!(
                        handler = %handler.name, delivery = %job.delivery,
                        "lane.halted: nothing of its key starts until an operator acts"
                    );
                }
                return Some(settled);
            }
            Err(error @ Unsettled::Escaped) => {
                ran.outcome = Outcome::Escaped;
                ran.error = Some(error.to_string());
                transition = job::Transition::Dead(job::Death::TransactionEscaped);
                continue;
            }
            Err(Unsettled::Database(error)) => {
                tracing::warn!(%error, delivery = %job.delivery, "settle.failed");
                // A job whose effects are out of our hands must not run again, however long its end takes to tell.
                refusals += u32::from(settle::is_refusal(&error) && ran.outcome != Outcome::Escaped);
                // Whether a lent transaction committed is not known; if it didn't, its effects are gone and the attempt
                // failed. If it did, the job is gone, and what follows finds that out.
                if had_transaction || (refusals == REFUSALS && ran.outcome != Outcome::Escaped) {
                    ran.fail(format!("the job's transaction did not commit: {error}"));
                    let history = history(worker, handler, claim, job);
                    transition = job::decide(&ran.outcome, history, &handler.policy, rand::random());
                    pause = Pause::default();
                }
                if refusals == 2 * REFUSALS {
                    metrics::counter!(telemetry::SETTLES_REFUSED, "handler" => handler.name.to_string()).increment(1);
                    tracing::error!(%error, handler = %handler.name, delivery = %job.delivery, "settle.refused: the job goes back");
                    return None;
                }
            }
        }
        pause.rest().await;
    }
}

/// Waits between tries, each twice as long as the one before, up to two seconds.
#[derive(Debug, Default)]
struct Pause(u32);

impl Pause {
    async fn rest(&mut self) {
        let wait = Duration::from_millis(50 << self.0.min(5)).min(Duration::from_secs(2));
        self.0 += 1;
        tokio::time::sleep(wait).await;
    }
}

fn report(handler: &Handler, job: &Job, ran: &Ran, transition: job::Transition) {
    let outcome = settle::ending(&ran.outcome).as_str();
    let name = handler.name.to_string();
    metrics::counter!(telemetry::ATTEMPTS, "handler" => name, "outcome" => outcome).increment(1);
    let elapsed = (chrono::Utc::now() - ran.started_at).to_std().unwrap_or_default();
    metrics::histogram!(telemetry::ATTEMPT_SECONDS).record(elapsed);
    if ran.outcome == Outcome::Ok
        && let Some(received) = stamped_at(job.delivery)
    {
        let name = handler.name.to_string();
        let taken = (chrono::Utc::now() - received).to_std().unwrap_or_default();
        metrics::histogram!(telemetry::DELIVERED_SECONDS, "handler" => name).record(taken);
    }
    tracing::debug!(
        handler = %handler.name, delivery = %job.delivery, attempt = job.attempt, outcome, job = transition.to(),
        "attempt.ended"
    );
}
