//! What an operator does about a breaker: opens or closes it by hand.
//!
//! Promise: nothing of it happens without its line in the audit trail.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgPool;

use crate::config::show_duration;
use crate::database::begin;
use crate::store::{breakers, replays};

/// Opens it for this long, known or not; until when. Transaction: the row and its audit line commit together.
pub(crate) async fn open(
    pool: &PgPool,
    name: &str,
    length: Duration,
    actor: &str,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    let mut tx = begin(pool).await?;
    let named = breakers::lock(&mut tx, name).await?;
    let opened = named.breaker.opened(length, named.now);
    breakers::write(&mut tx, name, &opened).await?;
    replays::audit(&mut tx, actor, "breaker.open", name, &json!({ "for": show_duration(length) })).await?;
    tx.commit().await?;
    Ok(opened.open_until)
}

/// Closes it. `false`: nothing of this name ever failed. Transaction: the row and its audit line commit together.
pub(crate) async fn close(pool: &PgPool, name: &str, actor: &str) -> sqlx::Result<bool> {
    let mut tx = begin(pool).await?;
    let Some(named) = breakers::lock_known(&mut tx, name).await? else { return Ok(false) };
    breakers::write(&mut tx, name, &named.breaker.closed(named.now)).await?;
    replays::audit(&mut tx, actor, "breaker.close", name, &json!({ "was": named.breaker.state.as_str() })).await?;
    tx.commit().await?;
    Ok(true)
}
