//! `receipts` and `conflicts`: which event a dedup key stands for, and which bodies came under it.

use std::ops::Range;

use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::record::NewReceipt;

/// What an existing receipt says of the key.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub(crate) struct Receipt {
    pub(crate) source: i32,
    pub(crate) key: Vec<u8>,
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) fingerprint: Vec<u8>,
}

/// The receipts of these keys; a key without one is left out.
///
/// A statement of its own after T1: the loser of a race can't see the winner's row in the statement it lost in.
pub(crate) async fn find(conn: &mut PgConnection, wanted: &[NewReceipt]) -> sqlx::Result<Vec<Receipt>> {
    let sources: Vec<i32> = wanted.iter().map(|r| r.source).collect();
    let keys: Vec<&[u8]> = wanted.iter().map(|r| r.key.as_slice()).collect();
    sqlx::query_as(
        "select r.source, r.key, r.delivery, r.event, r.fingerprint
           from hookgate.receipts r
           join unnest($1::int[], $2::bytea[]) as w(source, key) using (source, key)",
    )
    .bind(&sources)
    .bind(&keys)
    .fetch_all(conn)
    .await
}

/// Removes a receipt past its horizon, unless somebody renewed it meanwhile. The conflicts noted under its key go with
/// it: they name deliveries as old, and a body that came under the key once would else count as kept for ever.
pub(crate) async fn expire(conn: &mut PgConnection, receipt: &Receipt) -> sqlx::Result<()> {
    sqlx::query(
        "with gone as (
             delete from hookgate.receipts where source = $1 and key = $2 and delivery = $3 returning source, key
         )
         delete from hookgate.conflicts c using gone where (c.source, c.key) = (gone.source, gone.key)",
    )
    .bind(receipt.source)
    .bind(&receipt.key)
    .bind(receipt.delivery)
    .execute(conn)
    .await?;
    Ok(())
}

/// How many pages the heap of receipts has.
pub(crate) async fn pages(conn: &mut PgConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select pg_relation_size('hookgate.receipts') / current_setting('block_size')::bigint")
        .fetch_one(conn)
        .await
}

/// Removes the receipts in a stretch of pages that name a delivery before `end`, and the conflicts noted under their keys;
/// how many. Waits for nobody: a receipt that somebody works on stays for the next time.
pub(crate) async fn purge(conn: &mut PgConnection, pages: Range<i64>, end: Uuid) -> sqlx::Result<u64> {
    let gone: i64 = sqlx::query_scalar(
        "with old as materialized (
             select ctid from hookgate.receipts
              where ctid >= format('(%s,0)', $1)::tid and ctid < format('(%s,0)', $2)::tid and delivery < $3
                for update skip locked
         ), gone as (
             delete from hookgate.receipts where ctid = any(array(select ctid from old)) returning source, key
         ), notes as (
             delete from hookgate.conflicts c using gone where (c.source, c.key) = (gone.source, gone.key)
         )
         select count(*) from gone",
    )
    .bind(pages.start)
    .bind(pages.end)
    .bind(end)
    .fetch_one(conn)
    .await?;
    Ok(gone.unsigned_abs())
}

/// How the bodies under one key stand after another one came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConflictNote {
    /// The first time this body comes under this key; the total of differing bodies so far.
    First { bodies: i64 },
    /// This body came before, as this delivery.
    Known { delivery: Uuid, event: i32 },
}

/// Notes that another body came under a key; each body once.
pub(crate) async fn note_conflict(conn: &mut PgConnection, receipt: &NewReceipt) -> sqlx::Result<ConflictNote> {
    let inserted = sqlx::query(
        "insert into hookgate.conflicts (source, key, fingerprint, delivery, event)
         values ($1, $2, $3, $4, $5) on conflict do nothing",
    )
    .bind(receipt.source)
    .bind(receipt.key.as_slice())
    .bind(receipt.fingerprint.as_slice())
    .bind(receipt.delivery)
    .bind(receipt.event)
    .execute(&mut *conn)
    .await?
    .rows_affected();
    if inserted == 1 {
        let bodies = sqlx::query_scalar("select count(*) from hookgate.conflicts where source = $1 and key = $2")
            .bind(receipt.source)
            .bind(receipt.key.as_slice())
            .fetch_one(conn)
            .await?;
        return Ok(ConflictNote::First { bodies });
    }
    let (delivery, event) = sqlx::query_as(
        "select delivery, event from hookgate.conflicts where source = $1 and key = $2 and fingerprint = $3",
    )
    .bind(receipt.source)
    .bind(receipt.key.as_slice())
    .bind(receipt.fingerprint.as_slice())
    .fetch_one(conn)
    .await?;
    Ok(ConflictNote::Known { delivery, event })
}

/// Lets a conflict's note name another delivery, for a body that was not kept.
pub(crate) async fn redirect_conflict(conn: &mut PgConnection, noted: &NewReceipt, to: &Receipt) -> sqlx::Result<()> {
    sqlx::query(
        "update hookgate.conflicts set delivery = $4, event = $5 where source = $1 and key = $2 and fingerprint = $3",
    )
    .bind(noted.source)
    .bind(noted.key.as_slice())
    .bind(noted.fingerprint.as_slice())
    .bind(to.delivery)
    .bind(to.event)
    .execute(conn)
    .await?;
    Ok(())
}
