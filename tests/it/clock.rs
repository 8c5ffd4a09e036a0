//! The gateway's clock is the database's, also when nothing is recorded that would tell it.

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start_receiving};
use crate::support::postgres::database;
use crate::support::work::execute;

/// The database's clock, for every session that begins after this: it can be put forward.
const CLOCK: &str = "
    create schema shadow;
    create table shadow.clock (ahead interval not null);
    insert into shadow.clock values ('0');
    create function shadow.clock_timestamp() returns timestamptz language sql volatile
        as 'select pg_catalog.clock_timestamp() + ahead from shadow.clock'";

#[tokio::test(flavor = "multi_thread")]
async fn after_a_sleep_fresh_signatures_are_good_again_though_nothing_was_recorded_meanwhile() {
    let database = database().await;
    let pool = database.pool().await;
    for statement in CLOCK.split(';') {
        execute(&pool, statement).await;
    }
    let name = database.name();
    execute(&pool, &format!("alter database {name} set search_path = shadow, pg_catalog, public")).await;
    let gateway = start_receiving(&database, "").await;
    let to = gateway.ingest_addr().unwrap();

    // As if this machine had slept for an hour, during which its monotonic clock stood still.
    execute(&pool, "update shadow.clock set ahead = '1 hour'").await;
    let an_hour_on = async || {
        let at = chrono::Utc::now().timestamp() + 3600;
        Signed::stripe_at(r#"{"id": "evt_1", "type": "a.b"}"#, at).send(to).await.status
    };
    eventually("a fresh signature is good", 202, an_hour_on).await;
    gateway.shutdown().await;
}
