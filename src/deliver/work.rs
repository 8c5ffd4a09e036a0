//! Works a claim off: its jobs one after another, each settled before the next starts.

use std::time::Duration;

use super::Worker;
use super::claim::{self, Claim};
use super::execute::{self, Ran};
use super::settle::{self, Settled, Unsettled};
use crate::handler::Handler;
use crate::job::{self, History, Outcome};
use crate::store::jobs::Job;
use crate::store::partitions::stamped_at;
use crate::telemetry;

/// Runs the claim's jobs until one fails, all are done, the worker stops, or the claim is lost.
pub(crate) async fn work(worker: &Worker, handler: &Handler, mut claim: Claim) {
    let (mut job, mut rest) = claim.take_jobs();
    loop {
        let ran = match execute::execute(worker, handler, &claim, &job).await {
            Ok(ran) => ran,
            Err(error) => {
                tracing::warn!(%error, handler = %handler.name, "attempt.payload_unreadable");
                return give_back(worker, &claim).await;
            }
        };
        let transition = job::decide(&ran.outcome, history(&job), &handler.policy, rand::random());
        report(handler, &job, &ran, transition);
        let next = if worker.stop.is_cancelled() { None } else { rest.next() };
        match settle_surely(worker, handler, &claim, &job, ran, transition, next).await {
            Settled::Next(next) => job = next,
            Settled::Released => return,
            Settled::Fenced => {
                metrics::counter!(telemetry::FENCED).increment(1);
                tracing::warn!(handler = %handler.name, delivery = %job.delivery, "attempt.fenced: the claim was lost meanwhile");
                return;
            }
            Settled::Unknown => return give_back(worker, &claim).await,
        }
    }
}

fn history(job: &Job) -> History {
    History {
        failures: job.failures.unsigned_abs(),
        snoozed: Duration::from_millis(job.snoozed_ms.unsigned_abs()),
        blocking: job.failing_ms.map(|ms| Duration::from_millis(ms.unsigned_abs())),
        in_lane: job.lane.is_some(),
    }
}

/// Settles, however long the database takes. A result is never thrown away while the claim may still hold: as long as
/// this process says that it lives, nobody else would settle for it.
async fn settle_surely(
    worker: &Worker,
    handler: &Handler,
    claim: &Claim,
    job: &Job,
    mut ran: Ran,
    mut transition: job::Transition,
    next: Option<Job>,
) -> Settled {
    let mut wait = Duration::from_millis(50);
    loop {
        let transaction = ran.transaction.take();
        let had_transaction = transaction.is_some();
        match settle::settle(worker, claim, job, &ran, transaction, transition, next.clone()).await {
            Ok(settled) => return settled,
            Err(error @ Unsettled::Escaped) => {
                ran.outcome = Outcome::Escaped;
                ran.error = Some(error.to_string());
                transition = job::Transition::Dead(job::Death::TransactionEscaped);
                continue;
            }
            Err(Unsettled::Database(error)) => {
                tracing::warn!(%error, delivery = %job.delivery, "settle.failed");
                if had_transaction {
                    // Whether it committed is not known; if it didn't, its effects are gone and the attempt failed.
                    // If it did, the job is gone, and what follows finds that out.
                    ran.outcome = Outcome::Failed { retry_after: None };
                    ran.error = Some(format!("the handler's transaction did not commit: {error}"));
                    transition = job::decide(&ran.outcome, history(job), &handler.policy, rand::random());
                }
            }
        }
        if !worker.pulse.is_fresh(worker.settings.lease) {
            return Settled::Fenced;
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs(2));
    }
}

async fn give_back(worker: &Worker, claim: &Claim) {
    let mut wait = Duration::from_millis(50);
    while let Err(error) = claim::hand_back(&worker.pool, claim).await {
        tracing::warn!(%error, "claim.hand_back_failed");
        if !worker.pulse.is_fresh(worker.settings.lease) {
            return;
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs(2));
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
