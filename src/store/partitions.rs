//! The day partitions of `deliveries`, `copies` and `attempts`.
//!
//! A partition is made as a table of its own and then attached: ATTACH takes SHARE UPDATE EXCLUSIVE on the parent,
//! which ingest does not meet, where CREATE TABLE … PARTITION OF would take ACCESS EXCLUSIVE.

use chrono::{DateTime, Days, NaiveDate, Utc};
use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

/// The partitioned tables and the column that carries the delivery id.
const PARENTS: [(&str, &str); 3] = [("deliveries", "id"), ("copies", "delivery"), ("attempts", "delivery")];

/// Retention classes, each a LIST partition.
pub(crate) const CLASSES: [&str; 3] = ["short", "standard", "long"];

/// The smallest UUIDv7 of a day.
pub(crate) fn first_id(day: NaiveDate) -> Uuid {
    first_id_at(day.and_time(chrono::NaiveTime::MIN).and_utc())
}

/// The smallest UUIDv7 of a moment.
pub(crate) fn first_id_at(moment: DateTime<Utc>) -> Uuid {
    Uuid::from_u128((moment.timestamp_millis().max(0) as u128) << 80)
}

/// The day a UUIDv7 was stamped on.
pub(crate) fn stamped_at(id: Uuid) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis((id.as_u128() >> 80) as i64)
}

/// The database's time.
pub(crate) async fn now(conn: &mut PgConnection) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar("select clock_timestamp()").fetch_one(conn).await
}

/// Days that lack a partition among `from ..= to`.
pub(crate) async fn missing(conn: &mut PgConnection, from: NaiveDate, to: NaiveDate) -> sqlx::Result<Vec<NaiveDate>> {
    let attached: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where c.relnamespace = 'hookgate'::regnamespace",
    )
    .fetch_all(conn)
    .await?;
    Ok(from
        .iter_days()
        .take_while(|day| *day <= to)
        .filter(|day| !names(*day).all(|name| attached.contains(&name)))
        .collect())
}

/// The name of a day's table.
pub(crate) fn name(parent: &str, class: &str, day: NaiveDate) -> String {
    format!("{parent}_{class}_{}", day.format("%Y%m%d"))
}

/// The partitions of a day, all of them: one that somebody dropped alone is missing too.
fn names(day: NaiveDate) -> impl Iterator<Item = String> {
    PARENTS.iter().flat_map(move |(parent, _)| CLASSES.iter().map(move |class| name(parent, class, day)))
}

/// Makes the partitions of a day. Safe to call at once from several gateways inside a transaction of each: the advisory
/// transaction lock makes the second wait and then find everything there.
pub(crate) async fn create(conn: &mut PgConnection, day: NaiveDate) -> sqlx::Result<()> {
    // DDL waits for nobody long: whoever queues behind a waiting ALTER would wait too.
    sqlx::query("set local lock_timeout = '1s'").execute(&mut *conn).await?;
    sqlx::query("select pg_advisory_xact_lock(hashtext('hookgate.partitions'))").execute(&mut *conn).await?;
    let Some(next) = day.checked_add_days(Days::new(1)) else {
        return Ok(());
    };
    let (from, to) = (first_id(day), first_id(next));
    for (parent, _) in PARENTS {
        for class in CLASSES {
            let partition = name(parent, class, day);
            let exists: bool = sqlx::query_scalar("select to_regclass('hookgate.' || $1) is not null")
                .bind(&partition)
                .fetch_one(&mut *conn)
                .await?;
            if exists {
                continue;
            }
            // Every part of the text is a constant or a date of ours.
            for statement in [
                format!("create table hookgate.{partition} (like hookgate.{parent}_{class} including all)"),
                format!(
                    "alter table hookgate.{parent}_{class} attach partition hookgate.{partition} \
                     for values from ('{from}') to ('{to}')"
                ),
            ] {
                sqlx::query(AssertSqlSafe(statement)).execute(&mut *conn).await?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_a_range_of_ids() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 30).unwrap();
        let first = first_id(day);
        assert_eq!(stamped_at(first).unwrap().to_rfc3339(), "2026-11-30T00:00:00+00:00");
        let seconds = stamped_at(first).unwrap().timestamp() as u64;
        let stamp = uuid::Timestamp::from_unix(uuid::NoContext, seconds, 0);
        assert!(Uuid::new_v7(stamp) > first, "an id of that day sorts into its range");
        assert!(Uuid::new_v7(stamp) < first_id(day.succ_opt().unwrap()));
    }
}
