//! What is said to a session or a transaction and touches no table.

use std::time::Duration;

use sqlx::{PgConnection, PgPool};

/// Announces something on a channel. A statement of its own: inside a data transaction it would hold up every commit.
pub(crate) async fn notify(pool: &PgPool, channel: &str) -> sqlx::Result<()> {
    sqlx::query("select pg_notify($1, '')").bind(channel).execute(pool).await?;
    Ok(())
}

/// Lets no statement of this transaction take longer. It ends with the transaction, so it holds behind a pooler too.
pub(crate) async fn bound_statements(conn: &mut PgConnection, longest: Duration) -> sqlx::Result<()> {
    sqlx::query("select set_config('statement_timeout', $1, true)")
        .bind(format!("{}ms", longest.as_millis()))
        .execute(conn)
        .await?;
    Ok(())
}
