//! `copies`: one row for each further arrival of an event that was recorded before.

use sqlx::PgConnection;
use uuid::Uuid;

/// What a further arrival did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Nothing but this row.
    Noted,
    /// A dead job went back into the queue.
    Requeued,
    /// A waiting job became due at once.
    Hastened,
}

impl Act {
    /// The word in the table and the metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Noted => "noted",
            Self::Requeued => "requeued",
            Self::Hastened => "hastened",
        }
    }
}

/// Notes that the event `delivery`/`event` came again.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    delivery: Uuid,
    event: i32,
    act: Act,
    gateway: Uuid,
) -> sqlx::Result<()> {
    // The retention class is the first delivery's; a copy of one that was purged already has nowhere to go.
    sqlx::query(
        "insert into hookgate.copies (retention, delivery, event, act, gateway)
         select retention, id, $2, $3, $4 from hookgate.deliveries where id = $1",
    )
    .bind(delivery)
    .bind(event)
    .bind(act.as_str())
    .bind(gateway)
    .execute(conn)
    .await?;
    Ok(())
}
