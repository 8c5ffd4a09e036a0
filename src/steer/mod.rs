//! **Steer**: what operators say to the engine while it runs. Pause and resume, cancel jobs, retire a handler, hand the jobs
//! of one handler to another.
//!
//! Promise: nothing of it happens without its line in the audit trail, committed with it. What takes many transactions says
//! so, works in batches of bounded size, and may be asked again until nothing is left.

mod cancel;
mod pause;
mod redrive;
mod retire;

use sqlx::PgConnection;

use crate::store::registry;

pub(crate) use cancel::{Cancelled, Chosen, cancel};
pub(crate) use pause::{Paused, pause, resume};
pub(crate) use redrive::{Redriven, redrive};
pub(crate) use retire::{Retired, retire, sweep};

/// Jobs a transaction.
const BATCH: i64 = 500;

/// Transactions a call: a caller that waits for the answer hears it within seconds, and asks again if there is more.
const BATCHES: usize = 40;

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SteerError {
    #[error("there is no handler {0:?}")]
    UnknownHandler(String),
    #[error("there is no source {0:?}")]
    UnknownSource(String),
    #[error("handler {handler:?} is not subscribed to source {source_name:?}")]
    NotSubscribed { handler: String, source_name: String },
    #[error("handler {0:?} can't take its own jobs over")]
    Itself(String),
    #[error("handler {to:?} takes no events of {}", .sources.join(", "))]
    NotTaken { to: String, sources: Vec<String> },
    #[error("the database did not answer")]
    Database(#[from] sqlx::Error),
}

/// Refuses names that nothing has, and a pair that never met.
async fn must_exist(conn: &mut PgConnection, handler: Option<&str>, source: Option<&str>) -> Result<(), SteerError> {
    let (is_handler, is_source) =
        registry::known(&mut *conn, handler.unwrap_or_default(), source.unwrap_or_default()).await?;
    match (handler, source) {
        (Some(handler), _) if !is_handler => Err(SteerError::UnknownHandler(handler.to_owned())),
        (_, Some(source)) if !is_source => Err(SteerError::UnknownSource(source.to_owned())),
        (Some(handler), Some(source)) if registry::places(conn, Some(handler), Some(source)).await?.is_empty() => {
            Err(SteerError::NotSubscribed { handler: handler.to_owned(), source_name: source.to_owned() })
        }
        _ => Ok(()),
    }
}
