//! Watches for handlers whose code no live worker has: removed, renamed, or not deployed yet. Their jobs wait.

use std::time::Duration;

use sqlx::PgPool;

use crate::database::single;
use crate::store::unserved;

/// Notes which handlers are served, and says once of each that is not for long and has jobs. Two statements.
pub(super) async fn unserved(pool: &PgPool, lease: Duration) -> sqlx::Result<()> {
    let mut conn = single(pool).await?;
    unserved::note(&mut conn, lease).await?;
    let told = unserved::tell(&mut conn).await?;
    conn.done().await?;
    for handler in told {
        tracing::warn!(
            handler = handler.handler, since = %handler.since, jobs = handler.jobs,
            "handler.unserved: no live worker has it and its jobs wait; deploy it, hand them over with `hookgate handlers \
             redrive`, or end them with `hookgate handlers retire`"
        );
    }
    Ok(())
}
