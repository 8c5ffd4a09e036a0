//! The one way API reads reach the database.

use std::time::Duration;

use sqlx::{Postgres, Transaction};

use super::Operator;
use super::error::ApiError;

/// How long a read may wait for a connection: a client of the dashboard should hear no rather than hang.
const WAIT: Duration = Duration::from_secs(5);

impl Operator {
    /// A read-only snapshot in which no statement takes longer than 5 s. Dropping it ends it.
    ///
    /// Transaction-scoped, so that it holds behind a pooler too, and enforced by Postgres: a read can't write.
    pub(super) async fn read(&self) -> Result<Transaction<'static, Postgres>, ApiError> {
        let begun = self
            .pool
            .begin_with("begin isolation level repeatable read read only");
        let mut reading = match tokio::time::timeout(WAIT, begun).await {
            Ok(begun) => begun?,
            Err(_) => return Err(sqlx::Error::PoolTimedOut.into()),
        };
        sqlx::query("select set_config('statement_timeout', '5s', true)")
            .execute(&mut *reading)
            .await?;
        Ok(reading)
    }
}
