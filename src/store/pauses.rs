//! Who paused what. `subscriptions.paused` is what comes of it: claims read that column and nothing else of this.

use serde::Serialize;
use sqlx::{AssertSqlSafe, FromRow, PgConnection};

use super::search::Stamp;

/// What a pause covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope<'a> {
    All,
    Source(&'a str),
    Handler(&'a str),
    Subscription { source: &'a str, handler: &'a str },
}

impl Scope<'_> {
    /// The row that carries the pause; `$1` is the handler's name, `$2` the source's.
    fn row(self) -> &'static str {
        match self {
            Self::All => "hookgate.registry p set {} where $1::text is null and $2::text is null",
            Self::Source(_) => "hookgate.sources p set {} where $1::text is null and p.name = $2",
            Self::Handler(_) => "hookgate.handlers p set {} where p.name = $1 and $2::text is null",
            Self::Subscription { .. } => {
                "hookgate.subscriptions p set {} from hookgate.handlers h, hookgate.sources s
                  where h.id = p.handler and s.id = p.source and h.name = $1 and s.name = $2"
            }
        }
    }

    pub(crate) fn handler(&self) -> Option<&str> {
        match self {
            Self::Handler(handler) | Self::Subscription { handler, .. } => Some(handler),
            Self::All | Self::Source(_) => None,
        }
    }

    pub(crate) fn source(&self) -> Option<&str> {
        match self {
            Self::Source(source) | Self::Subscription { source, .. } => Some(source),
            Self::All | Self::Handler(_) => None,
        }
    }
}

/// Tells every worker to look at the pauses again. First of all in its transaction: it makes pauses and declarations wait
/// for each other, so that a subscription which is being made can't miss a pause. Recorders do not meet this lock.
pub(crate) async fn raise(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("update hookgate.registry set pauses = pauses + 1").execute(conn).await?;
    Ok(())
}

/// Pauses. `false`: there is no such thing, or it is paused already.
pub(crate) async fn set(
    conn: &mut PgConnection,
    scope: Scope<'_>,
    actor: &str,
    reason: Option<&str>,
) -> sqlx::Result<bool> {
    let update = scope.row().replace("{}", "paused_at = now(), paused_by = $3, paused_reason = $4");
    let done = sqlx::query(AssertSqlSafe(format!("update {update} and p.paused_at is null")))
        .bind(scope.handler())
        .bind(scope.source())
        .bind(actor)
        .bind(reason)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends the pause of this very scope; wider and narrower ones stay. `false`: there was none.
pub(crate) async fn lift(conn: &mut PgConnection, scope: Scope<'_>) -> sqlx::Result<bool> {
    let update = scope.row().replace("{}", "paused_at = null, paused_by = null, paused_reason = null");
    let done = sqlx::query(AssertSqlSafe(format!("update {update} and p.paused_at is not null")))
        .bind(scope.handler())
        .bind(scope.source())
        .execute(conn)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Makes `subscriptions.paused` what the pauses say. Writes those rows alone that change.
pub(crate) async fn resolve(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.subscriptions u set paused = w.paused
           from (select u.id, coalesce(r.paused_at, s.paused_at, h.paused_at, u.paused_at) is not null as paused
                   from hookgate.subscriptions u
                   join hookgate.sources s on s.id = u.source
                   join hookgate.handlers h on h.id = u.handler
                  cross join hookgate.registry r) w
          where u.id = w.id and u.paused <> w.paused",
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The subscriptions that may not run now.
pub(crate) async fn subscriptions(conn: &mut PgConnection) -> sqlx::Result<Vec<i32>> {
    sqlx::query_scalar("select id from hookgate.subscriptions where paused").fetch_all(conn).await
}

/// A pause in force.
#[derive(Debug, Clone, PartialEq, Serialize, FromRow)]
pub(crate) struct PauseRow {
    /// `all`, `source`, `handler` or `subscription`.
    pub(crate) scope: String,
    pub(crate) source: Option<String>,
    pub(crate) handler: Option<String>,
    pub(crate) paused_at: Stamp,
    pub(crate) paused_by: String,
    pub(crate) reason: Option<String>,
}

/// Every pause in force, the widest first.
pub(crate) async fn list(conn: &mut PgConnection) -> sqlx::Result<Vec<PauseRow>> {
    sqlx::query_as(
        "select scope, source, handler, paused_at, coalesce(paused_by, '') as paused_by, paused_reason as reason
           from (select 1 as width, 'all' as scope, null as source, null as handler, paused_at, paused_by, paused_reason
                   from hookgate.registry
                  union all
                 select 2, 'source', name, null, paused_at, paused_by, paused_reason from hookgate.sources
                  union all
                 select 3, 'handler', null, name, paused_at, paused_by, paused_reason from hookgate.handlers
                  union all
                 select 4, 'subscription', s.name, h.name, u.paused_at, u.paused_by, u.paused_reason
                   from hookgate.subscriptions u
                   join hookgate.sources s on s.id = u.source
                   join hookgate.handlers h on h.id = u.handler) p
          where paused_at is not null
          order by width, source, handler",
    )
    .fetch_all(conn)
    .await
}
