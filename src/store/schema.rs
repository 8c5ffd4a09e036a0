//! The schema `hookgate` itself, and which migrations it has.

use sqlx::PgConnection;

/// Whether the schema is there.
pub(crate) async fn exists(conn: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select to_regnamespace('hookgate') is not null").fetch_one(conn).await
}

/// Makes the schema; another process may have made it meanwhile.
pub(crate) async fn create(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("create schema if not exists hookgate").execute(conn).await?;
    Ok(())
}

/// The migrations that were applied; none where nothing was migrated yet.
pub(crate) async fn applied(conn: &mut PgConnection) -> sqlx::Result<Vec<i64>> {
    let there: bool =
        sqlx::query_scalar("select to_regclass('hookgate.migrations') is not null").fetch_one(&mut *conn).await?;
    if !there {
        return Ok(Vec::new());
    }
    sqlx::query_scalar("select version from hookgate.migrations where success").fetch_all(conn).await
}
