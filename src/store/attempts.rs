//! `attempts`: one row an execution. The last row of a finished job is its outcome.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{JobKey, storable};

/// How an attempt ended, as its row says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Ok,
    Failed,
    Permanent,
    Timeout,
    Panic,
    Snoozed,
    Lost,
}

impl Ending {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Permanent => "permanent",
            Self::Timeout => "timeout",
            Self::Panic => "panic",
            Self::Snoozed => "snoozed",
            Self::Lost => "lost",
        }
    }
}

/// One row.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    pub(crate) key: JobKey,
    pub(crate) attempt: i32,
    pub(crate) seq: Option<i64>,
    pub(crate) ending: Ending,
    pub(crate) started_at: DateTime<Utc>,
    pub(crate) status: Option<u16>,
    pub(crate) error: Option<String>,
    pub(crate) worker: Uuid,
    pub(crate) out_of_order: bool,
    /// Whether another of its version was there.
    pub(crate) ambiguous: bool,
    /// The events its job stands for, where they are several.
    pub(crate) elements: Option<Vec<i32>>,
}

/// The longest error text that is kept, in bytes.
const ERROR_LIMIT: usize = 4096;

/// Adds the row. Ends now, by the database's clock.
pub(crate) async fn insert(conn: &mut PgConnection, attempt: &Attempt) -> sqlx::Result<()> {
    sqlx::query(
        "insert into hookgate.attempts
                (retention, delivery, event, subscription, run, attempt, seq, outcome, started_at, ended_at,
                 status, error, worker, out_of_order, elements, ambiguous)
         select d.retention, $1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp(), $9, $10, $11, $12, $13, $14
           from hookgate.deliveries d where d.id = $1",
    )
    .bind(attempt.key.delivery)
    .bind(attempt.key.event)
    .bind(attempt.key.subscription)
    .bind(attempt.key.run)
    .bind(attempt.attempt)
    .bind(attempt.seq)
    .bind(attempt.ending.as_str())
    .bind(attempt.started_at)
    .bind(attempt.status.map(|s| s as i16))
    .bind(attempt.error.as_deref().map(|text| storable(text, ERROR_LIMIT)))
    .bind(attempt.worker)
    .bind(attempt.out_of_order)
    .bind(&attempt.elements)
    .bind(attempt.ambiguous)
    .execute(conn)
    .await?;
    Ok(())
}
