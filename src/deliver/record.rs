//! The attempt's row, which is a log: that it can't be written undoes and repeats nothing.

use chrono::Utc;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;

use crate::answers::Answer;
use crate::store::attempts::{self, Attempt, Ending};
use crate::store::jobs::Lost;
use crate::store::{JobKey, answers};
use crate::telemetry;

/// Adds the row under a savepoint. One that Postgres refuses is counted and left out.
pub(super) async fn record(tx: &mut PgConnection, attempt: &Attempt) -> sqlx::Result<()> {
    let mut savepoint = tx.begin().await?;
    match attempts::insert(&mut savepoint, attempt).await {
        Ok(()) => savepoint.commit().await,
        Err(error) if error.as_database_error().is_some() => {
            metrics::counter!(telemetry::ATTEMPT_LOG_FAILURES).increment(1);
            let (delivery, attempt) = (attempt.key.delivery, attempt.attempt);
            tracing::error!(%error, %delivery, attempt, "attempt.not_logged");
            savepoint.rollback().await
        }
        Err(error) => Err(error),
    }
}

/// Keeps what the handler answered, under a savepoint. One that Postgres refuses is left out, and not relayed: the job's
/// effects are worth more than its answer.
pub(super) async fn keep(tx: &mut PgConnection, key: JobKey, answer: &Answer) -> sqlx::Result<bool> {
    let mut savepoint = tx.begin().await?;
    match answers::insert(&mut savepoint, key, answer).await {
        Ok(kept) => savepoint.commit().await.map(|()| kept),
        Err(error) if error.as_database_error().is_some() => {
            tracing::error!(%error, delivery = %key.delivery, "answer.not_kept");
            savepoint.rollback().await.map(|()| false)
        }
        Err(error) => Err(error),
    }
}

/// The row of an attempt that nobody saw the end of.
pub(super) fn lost(lost: &Lost, worker: Uuid, why: &str) -> Attempt {
    Attempt {
        key: lost.key(),
        attempt: lost.attempt,
        seq: lost.seq,
        ending: Ending::Lost,
        started_at: lost.started_at.unwrap_or_else(Utc::now),
        status: None,
        error: Some(why.to_owned()),
        worker,
        out_of_order: false,
        ambiguous: false,
        // The row of the attempt that ends the job has them.
        elements: None,
    }
}
