//! Pause and resume: handlers stop starting, receiving goes on.
//!
//! A pause is a fact about all, a source, a handler or a handler on a source. What comes of all of them is resolved into
//! `subscriptions.paused` in the same transaction, and claims read that: whoever claims after the commit claims nothing of
//! it, on every gateway. What runs ends; a lane's further jobs do not start once their worker has looked.

use serde_json::json;
use sqlx::PgPool;

use super::{SteerError, must_exist};
use crate::database::begin;
use crate::store::pauses::{self, PauseRow, Scope};
use crate::store::replays::audit;

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Paused {
    /// Whether this very scope was in the other state before.
    pub(crate) changed: bool,
    /// Every pause in force now.
    pub(crate) pauses: Vec<PauseRow>,
}

/// Pauses a scope. Transaction: the pause, what comes of it and the audit line commit together.
pub(crate) async fn pause(
    pool: &PgPool,
    scope: Scope<'_>,
    reason: Option<&str>,
    actor: &str,
) -> Result<Paused, SteerError> {
    turn(pool, scope, Some(reason), actor).await
}

/// Ends the pause of a scope; wider and narrower ones stay in force. Transaction: as for [`pause`].
pub(crate) async fn resume(pool: &PgPool, scope: Scope<'_>, actor: &str) -> Result<Paused, SteerError> {
    turn(pool, scope, None, actor).await
}

async fn turn(
    pool: &PgPool,
    scope: Scope<'_>,
    pausing: Option<Option<&str>>,
    actor: &str,
) -> Result<Paused, SteerError> {
    let mut tx = begin(pool).await?;
    must_exist(&mut tx, scope.handler(), scope.source()).await?;
    pauses::raise(&mut tx).await?;
    let (changed, action) = match pausing {
        Some(reason) => (pauses::set(&mut tx, scope, actor, reason).await?, "pause"),
        None => (pauses::lift(&mut tx, scope).await?, "resume"),
    };
    pauses::resolve(&mut tx).await?;
    let pauses = pauses::list(&mut tx).await?;
    if changed {
        let object = match (scope.handler(), scope.source()) {
            (Some(handler), Some(source)) => format!("handler {handler} on source {source}"),
            (Some(handler), None) => format!("handler {handler}"),
            (None, Some(source)) => format!("source {source}"),
            (None, None) => "all".to_owned(),
        };
        audit(&mut tx, actor, action, &object, &json!({ "reason": pausing.flatten() })).await?;
    }
    tx.commit().await?;
    Ok(Paused { changed, pauses })
}
