//! What an operator does about the secrets that providers offer in a handshake: waits for one, or forgets one.
//!
//! Promise: nothing of it happens without its line in the audit trail.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::json;
use sqlx::PgPool;

use crate::config::show_duration;
use crate::database::begin;
use crate::store::{pairing, replays};

/// Opens a window in which a source takes one secret, in place of the one before; when it closes. `None`: no such source.
/// Transaction: window and audit line commit together.
pub(crate) async fn open(
    pool: &PgPool,
    source: &str,
    length: Duration,
    actor: &str,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    let mut tx = begin(pool).await?;
    let Some(closes_at) = pairing::open(&mut tx, source, length, actor).await? else { return Ok(None) };
    let detail = json!({ "for": show_duration(length) });
    replays::audit(&mut tx, actor, "source.pair", source, &detail).await?;
    tx.commit().await?;
    Ok(Some(closes_at))
}

/// Wipes a paired secret. `false`: there is none of this number, or it is wiped already. Transaction: the row and the audit
/// line commit together.
pub(crate) async fn forget(pool: &PgPool, source: &str, secret: i16, actor: &str) -> sqlx::Result<bool> {
    let mut tx = begin(pool).await?;
    if !pairing::forget(&mut tx, source, secret).await? {
        return Ok(false);
    }
    replays::audit(&mut tx, actor, "source.forget", source, &json!({ "secret": secret })).await?;
    tx.commit().await?;
    Ok(true)
}
