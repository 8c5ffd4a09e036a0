//! What is past its time: days of payloads, and what points into them.
//!
//! A day leaves in two steps. DETACH … CONCURRENTLY takes SHARE UPDATE EXCLUSIVE on the parent, which neither ingest nor
//! readers meet, where DROP TABLE of an attached partition would take ACCESS EXCLUSIVE there; the table that stands
//! alone then is dropped. Broken off between the two, it is found as it was left.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::{AssertSqlSafe, PgConnection};

use super::partitions::{first_id, name};

/// How a day's table hangs on its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// A partition.
    Attached,
    /// Its detaching was broken off.
    Detaching,
    /// A table alone.
    Detached,
}

/// A day's table of a parent and a retention class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Day {
    pub(crate) class: &'static str,
    pub(crate) day: NaiveDate,
}

/// The days of a class that ended before `end`, oldest first: every day with a table of any parent left.
pub(crate) async fn days(conn: &mut PgConnection, class: &'static str, end: DateTime<Utc>) -> sqlx::Result<Vec<Day>> {
    let names: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class
          where relnamespace = 'hookgate'::regnamespace and relkind = 'r'
            and relname ~ ('^(deliveries|copies|attempts)_' || $1 || '_[0-9]{8}$')",
    )
    .bind(class)
    .fetch_all(conn)
    .await?;
    let dated = |name: String| NaiveDate::parse_from_str(name.rsplit('_').next()?, "%Y%m%d").ok();
    let mut days: Vec<NaiveDate> = names.into_iter().filter_map(dated).filter(|day| *day < end.date_naive()).collect();
    days.sort_unstable();
    days.dedup();
    Ok(days.into_iter().map(|day| Day { class, day }).collect())
}

impl Day {
    /// The ids of this day, from the first to before the last.
    fn ids(&self) -> (uuid::Uuid, uuid::Uuid) {
        (first_id(self.day), self.day.succ_opt().map_or(uuid::Uuid::max(), first_id))
    }

    /// How this day's table of a parent hangs on it; `None`: there is none.
    pub(crate) async fn hold(&self, conn: &mut PgConnection, parent: &str) -> sqlx::Result<Option<Hold>> {
        let found: Option<(bool, bool)> = sqlx::query_as(
            "select i.inhrelid is not null, coalesce(i.inhdetachpending, false)
               from pg_class c left join pg_inherits i on i.inhrelid = c.oid
              where c.relnamespace = 'hookgate'::regnamespace and c.relname = $1",
        )
        .bind(name(parent, self.class, self.day))
        .fetch_optional(conn)
        .await?;
        Ok(found.map(|(is_child, is_pending)| match (is_child, is_pending) {
            (_, true) => Hold::Detaching,
            (true, false) => Hold::Attached,
            (false, false) => Hold::Detached,
        }))
    }

    /// Whether unfinished work points into this day.
    pub(crate) async fn is_wanted(&self, conn: &mut PgConnection) -> sqlx::Result<bool> {
        let (first, end) = self.ids();
        sqlx::query_scalar(
            "select exists (select from hookgate.jobs where delivery >= $1 and delivery < $2 and retention = $3)",
        )
        .bind(first)
        .bind(end)
        .bind(self.class)
        .fetch_one(conn)
        .await
    }

    /// Makes the table stand alone. No transaction: waits for those that read or write this day, and for nobody else.
    pub(crate) async fn detach(&self, conn: &mut PgConnection, parent: &str, hold: Hold) -> sqlx::Result<()> {
        let how = match hold {
            Hold::Attached => "concurrently",
            Hold::Detaching => "finalize",
            Hold::Detached => return Ok(()),
        };
        let table = name(parent, self.class, self.day);
        alone(conn, format!("alter table hookgate.{parent}_{} detach partition hookgate.{table} {how}", self.class))
            .await
    }

    /// Takes the table back as a partition. The constraint that detaching left makes it need no scan.
    pub(crate) async fn attach(&self, conn: &mut PgConnection, parent: &str) -> sqlx::Result<()> {
        let ((first, end), table) = (self.ids(), name(parent, self.class, self.day));
        alone(
            conn,
            format!(
                "alter table hookgate.{parent}_{} attach partition hookgate.{table} for values from ('{first}') to ('{end}')",
                self.class
            ),
        )
        .await
    }

    /// Drops a table that stands alone.
    pub(crate) async fn drop(&self, conn: &mut PgConnection, parent: &str) -> sqlx::Result<()> {
        alone(conn, format!("drop table if exists hookgate.{}", name(parent, self.class, self.day))).await
    }

    /// Removes some of the answers whose delivery is gone; how many.
    pub(crate) async fn forget_answers(&self, conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
        let (first, end) = self.ids();
        let done = sqlx::query(
            "delete from hookgate.answers
              where ctid = any(array(select ctid from hookgate.answers
                                      where delivery >= $1 and delivery < $2 and retention = $3
                                      limit $4 for update skip locked))",
        )
        .bind(first)
        .bind(end)
        .bind(self.class)
        .bind(limit)
        .execute(conn)
        .await?;
        Ok(done.rows_affected())
    }

    /// Removes some of the dead jobs whose payload is gone; how many.
    pub(crate) async fn bury(&self, conn: &mut PgConnection, limit: i64) -> sqlx::Result<u64> {
        let (first, end) = self.ids();
        let done = sqlx::query(
            "delete from hookgate.dead
              where ctid = any(array(select ctid from hookgate.dead
                                      where delivery >= $1 and delivery < $2 and retention = $3
                                      limit $4 for update skip locked))",
        )
        .bind(first)
        .bind(end)
        .bind(self.class)
        .bind(limit)
        .execute(conn)
        .await?;
        Ok(done.rows_affected())
    }
}

/// By the simple protocol and in no transaction, as DETACH … CONCURRENTLY must be. Every part of the text is a constant or
/// a date of ours.
async fn alone(conn: &mut PgConnection, statement: String) -> sqlx::Result<()> {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(conn).await?;
    Ok(())
}
