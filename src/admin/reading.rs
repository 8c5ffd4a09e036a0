//! The one way API reads reach the database.

use std::time::Duration;

use sqlx::{Postgres, Transaction};

use super::Operator;
use super::error::ApiError;
use crate::database;
use crate::store::session;

/// How long a read may wait for a connection: a client of the dashboard should hear no rather than hang.
const WAIT: Duration = Duration::from_secs(5);
/// How long one of its statements may take.
const STATEMENT: Duration = Duration::from_secs(5);

impl Operator {
    /// A read-only snapshot in which no statement takes longer than 5 s. Dropping it ends it.
    ///
    /// Transaction-scoped, so that it holds behind a pooler too, and enforced by Postgres: a read can't write.
    pub(super) async fn read(&self) -> Result<Transaction<'static, Postgres>, ApiError> {
        match tokio::time::timeout(WAIT, self.begin()).await {
            Ok(reading) => Ok(reading?),
            Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
        }
    }

    /// The pool does not test its connections. After a restart of the database each of them may be dead, which shows
    /// here and costs that connection; nothing was read yet, so the next one may try.
    async fn begin(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        let mut dead_at_most = self.pool.size();
        loop {
            match database::begin_snapshot(&self.pool).await {
                Ok(mut reading) => {
                    session::bound_statements(&mut reading, STATEMENT).await?;
                    return Ok(reading);
                }
                Err(error) if dead_at_most > 0 && is_of_a_dead_connection(&error) => dead_at_most -= 1,
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_of_a_dead_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => true,
        // 57P01 … 57P03: the server shut down, crashed or was starting when it said so.
        sqlx::Error::Database(e) => e.code().is_some_and(|code| code.starts_with("57P0")),
        _ => false,
    }
}
