//! Settle, **T3**: the transition, the handler's effects and the attempt's record commit together, fenced.
//!
//! The fence is the first statement: an update of the lane (or the unordered job) that matches the claim token. It takes
//! the row lock, so a rescue and a settle can't both win. In a handler's own transaction it comes last of all that the
//! transaction did, so until then nothing of ours was locked.

use std::sync::Arc;
use std::time::Duration;

use sqlx::{PgConnection, Postgres, Transaction};

use super::Worker;
use super::answered::answered;
use super::claim::Claim;
use super::execute::{ESCAPED, Ran};
use super::record;
use crate::answers::AnswerKey;
use crate::database::begin_on;
use crate::job::{LaneStep, Outcome, Transition};
use crate::store::attempts::{Attempt, Ending};
use crate::store::jobs::{self, Buried, Job, Rank, Waiting};
use crate::store::lanes::{self, Advance, Release};
use crate::store::{Held, JobKey, LaneKey, claims, dead};

/// How long a settle may be stopped while it holds a lane: ingest and rescue of that lane wait for it.
pub(crate) const IDLE_AT_MOST: Duration = Duration::from_secs(5);

/// What settling did.
#[derive(Debug)]
pub(crate) enum Settled {
    /// The lane stays claimed and this job is started.
    Next(Job),
    /// The claim is over.
    Released,
    /// The claim was lost; nothing was changed.
    Fenced,
    /// The claim holds and nothing of it runs: an earlier try committed without our hearing of it, or the next job may
    /// not follow.
    Unknown,
}

/// What becomes of the job and of its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) job: Transition,
    pub(crate) lane: LaneStep,
}

/// Why nothing was settled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unsettled {
    /// The transaction is not the one that was lent, so its effects are out of our hands.
    #[error("{ESCAPED}")]
    Escaped,
    /// The database refused or did not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Carries the transition out, in the handler's transaction if it opened one. What the database does not answer in time
/// counts as not heard.
pub(crate) async fn settle(
    worker: &Worker,
    claim: &Claim,
    job: &Job,
    ran: &Ran,
    transaction: Option<Transaction<'static, Postgres>>,
    decision: Decision,
    next: Option<Job>,
) -> Result<Settled, Unsettled> {
    if let Some(mut lent) = transaction {
        return answered(worker.patience(), async {
            if !claims::take_back(&mut lent, claim.token(), IDLE_AT_MOST).await? {
                return Err(Unsettled::Escaped);
            }
            Ok(settle_in(lent, worker, claim, job, ran, decision, next).await?)
        })
        .await;
    }
    // To wait for a connection is no silence: handlers may hold them all.
    let mut conn = worker.pool.acquire().await?;
    let settled = answered(worker.patience(), async {
        Ok(settle_in(begin_on(&worker.pool, &mut conn).await?, worker, claim, job, ran, decision, next).await?)
    })
    .await;
    if let Err(Unsettled::Database(sqlx::Error::Io(_))) = &settled {
        // Given up half way, maybe in its BEGIN.
        drop(conn.detach());
    }
    settled
}

async fn settle_in(
    mut tx: Transaction<'_, Postgres>,
    worker: &Worker,
    claim: &Claim,
    job: &Job,
    ran: &Ran,
    decision: Decision,
    next: Option<Job>,
) -> sqlx::Result<Settled> {
    // Only a success keeps the lane: after a failure nothing follows.
    let next = next.filter(|_| decision.job == Transition::Done);
    let moved = match claim.held() {
        Held::Lane(lane) => in_lane(&mut tx, claim, &lane, job, ran, decision, next.is_some()).await?,
        Held::Job(_) => alone(&mut tx, claim, job, ran, decision.job).await?,
    };
    let next = match moved {
        Moved::Fenced => return Ok(Settled::Fenced),
        Moved::JobGone => return Ok(Settled::Unknown),
        // An operator paused the lane meanwhile.
        Moved::Released => None,
        Moved::Yes => next,
    };
    record::record(&mut tx, &attempt(worker, job, ran)).await?;
    let answer = ran.answer.as_ref().filter(|_| decision.job == Transition::Done);
    let kept = match answer {
        Some(answer) => record::keep(&mut tx, job.key(), answer).await?,
        None => false,
    };
    let settled = match next {
        Some(mut next) => match jobs::start(&mut tx, next.key(), Rank::First).await? {
            Some(started) => {
                next.started(started);
                Settled::Next(next)
            }
            // Cancelled meanwhile, or one before it came back. The claim holds and runs nothing: give it back.
            None => Settled::Unknown,
        },
        None => Settled::Released,
    };
    tx.commit().await?;
    if decision.job == Transition::Done {
        let JobKey { delivery, event, subscription, .. } = job.key();
        let told = answer.filter(|_| kept).cloned().map(Arc::new);
        worker.answers.tell(AnswerKey { delivery, event, subscription }, told);
    }
    Ok(settled)
}

/// Whether the transition took place.
enum Moved {
    Yes,
    /// It did, and the claim is over whatever was to follow.
    Released,
    Fenced,
    JobGone,
}

/// Fence first (the lane's row), then the job: lanes → jobs, as everywhere.
async fn in_lane(
    tx: &mut PgConnection,
    claim: &Claim,
    lane: &LaneKey,
    job: &Job,
    ran: &Ran,
    decision: Decision,
    goes_on: bool,
) -> sqlx::Result<Moved> {
    let transition = decision.job;
    let mark = claim.mark(job).filter(|_| transition == Transition::Done);
    let step = Advance { mark, ..advance(job, decision, goes_on) };
    let Some(advanced) = lanes::advance(&mut *tx, lane, claim.token(), step).await? else {
        return Ok(Moved::Fenced);
    };
    let there = match transition {
        Transition::Done => jobs::remove(&mut *tx, job.key(), None).await?.is_some(),
        Transition::Dead(death) => match jobs::remove(&mut *tx, job.key(), None).await? {
            Some(buried) => {
                let buried = Buried { lane: Some(lane.to_vec()), ..buried };
                dead::insert(&mut *tx, &buried, job.key(), death, death.told(ran.error.as_deref()).as_deref()).await?;
                true
            }
            None => false,
        },
        Transition::Retry { wait } => back(&mut *tx, job, Waiting::InPlace(wait)).await?,
        Transition::Halt => back(&mut *tx, job, Waiting::InPlace(Duration::ZERO)).await?,
        Transition::RetryOutside { wait } => back(&mut *tx, job, Waiting::Outside(wait)).await?,
        Transition::StepAside { wait } => back(&mut *tx, job, Waiting::Aside(wait)).await?,
        Transition::Defer { wait } => back(&mut *tx, job, Waiting::Deferred(wait)).await?,
    };
    if !there {
        return Ok(Moved::JobGone);
    }
    // Another job of the lane ended: whoever stepped aside for it may look again.
    if advanced.snoozed > 0 && matches!(transition, Transition::Done | Transition::Dead(_)) {
        lanes::clear_snoozed(&mut *tx, lane).await?;
        jobs::end_snoozes(tx, lane).await?;
    }
    Ok(if advanced.released { Moved::Released } else { Moved::Yes })
}

async fn back(tx: &mut PgConnection, job: &Job, waiting: Waiting) -> sqlx::Result<bool> {
    jobs::put_back(tx, job.key(), None, waiting).await
}

/// How the lane moves on: a pure reading of the decision.
fn advance(job: &Job, decision: Decision, goes_on: bool) -> Advance {
    let release = match decision.lane {
        LaneStep::GoesOn if goes_on => None,
        LaneStep::GoesOn => Some(Release::Now),
        LaneStep::Waits(wait) => Some(Release::After(wait)),
        LaneStep::WaitsUnlessNewer(wait) => Some(Release::AfterUnlessMore(wait)),
        LaneStep::Halts => Some(Release::Halted),
    };
    let step = Advance { release, ..Advance::default() };
    match decision.job {
        Transition::Done | Transition::Dead(_) => Advance { left: 1, ended_seq: job.seq, ..step },
        Transition::RetryOutside { .. } => Advance { left: 1, ..step },
        Transition::Retry { .. } | Transition::Defer { .. } | Transition::Halt => step,
        Transition::StepAside { .. } => Advance { stepped_aside: 1, ..step },
    }
}

/// Outside any lane the job's own row is the fence.
async fn alone(
    tx: &mut PgConnection,
    claim: &Claim,
    job: &Job,
    ran: &Ran,
    transition: Transition,
) -> sqlx::Result<Moved> {
    let token = Some(claim.token());
    let held = match transition {
        Transition::Done => jobs::remove(tx, job.key(), token).await?.is_some(),
        Transition::Dead(death) => match jobs::remove(&mut *tx, job.key(), token).await? {
            Some(buried) => {
                dead::insert(tx, &buried, job.key(), death, death.told(ran.error.as_deref()).as_deref()).await?;
                true
            }
            None => false,
        },
        Transition::Retry { wait } | Transition::RetryOutside { wait } => {
            jobs::put_back(tx, job.key(), token, Waiting::InPlace(wait)).await?
        }
        Transition::StepAside { wait } => jobs::put_back(tx, job.key(), token, Waiting::Aside(wait)).await?,
        Transition::Defer { wait } => jobs::put_back(tx, job.key(), token, Waiting::Deferred(wait)).await?,
        // Nothing outside a lane halts one; were it said, it would be a retry.
        Transition::Halt => jobs::put_back(tx, job.key(), token, Waiting::InPlace(Duration::ZERO)).await?,
    };
    Ok(if held { Moved::Yes } else { Moved::Fenced })
}

fn attempt(worker: &Worker, job: &Job, ran: &Ran) -> Attempt {
    Attempt {
        key: job.key(),
        attempt: job.attempt,
        seq: job.seq,
        ending: ending(&ran.outcome),
        started_at: ran.started_at,
        status: ran.status,
        error: ran.error.clone(),
        worker: worker.id,
        out_of_order: job.out_of_order,
        ambiguous: job.ambiguous,
        elements: job.elements.clone(),
    }
}

/// Whether the database will go on refusing this: data it can't take, a constraint, a statement or right it does not
/// have (SQLSTATE classes 22, 23 and 42). Anything else passes.
pub(crate) fn is_refusal(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| ["22", "23", "42"].iter().any(|class| code.starts_with(class)))
}

/// The word for the attempt's row.
pub(crate) fn ending(outcome: &Outcome) -> Ending {
    match outcome {
        Outcome::Ok => Ending::Ok,
        Outcome::Failed { .. } => Ending::Failed,
        Outcome::Permanent | Outcome::Undecodable | Outcome::Escaped => Ending::Permanent,
        Outcome::Timeout => Ending::Timeout,
        Outcome::Panic => Ending::Panic,
        Outcome::Snoozed { .. } | Outcome::Deferred { .. } => Ending::Snoozed,
    }
}
