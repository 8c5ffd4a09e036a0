//! Keeps day partitions from yesterday to three days ahead.

use chrono::{Days, NaiveDate};
use sqlx::PgPool;

use crate::database::{begin, single};
use crate::store::partitions as store;

/// Days made ahead, so that a maintenance outage of a weekend stops nobody's ingest.
const AHEAD: u64 = 3;

/// Makes the partitions that are missing around now, by the database's clock. Transaction: one a day, so that a lock
/// that can't be had costs a day and not all of them. Cheap when nothing is missing.
pub(crate) async fn ensure(pool: &PgPool) -> sqlx::Result<()> {
    for day in missing(pool).await? {
        let mut tx = begin(pool).await?;
        store::create(&mut tx, day).await?;
        tx.commit().await?;
    }
    Ok(())
}

/// Days around now that have no partition yet.
pub(crate) async fn missing(pool: &PgPool) -> sqlx::Result<Vec<NaiveDate>> {
    let mut conn = single(pool).await?;
    let today = store::now(&mut conn).await?.date_naive();
    let from = today.checked_sub_days(Days::new(1)).unwrap_or(today);
    let to = today.checked_add_days(Days::new(AHEAD)).unwrap_or(today);
    store::missing(&mut conn, from, to).await
}
