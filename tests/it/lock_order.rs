//! Lanes before jobs, and lanes in their order: whoever works on several of both waits, and never deadlocks.

use std::time::Duration;

use hookgate::{HandlerError, Order, Running, on};
use serde_json::json;
use sqlx::{AssertSqlSafe, Executor, PgPool};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, client, start};
use crate::support::postgres::TestDatabase;
use crate::support::puppet::{Calls, puppet};
use crate::support::work::{database_with_effects, deaths, jobs, number};

/// Two ordered handlers of one source.
async fn two_handlers(database: &TestDatabase) -> (Running, Calls, Calls) {
    let named = |name: &str| puppet(on("stripe", &["*"]).name(name).order(Order::Lane));
    let ((one, one_calls), (other, other_calls)) = (named("one"), named("other"));
    (start(database, "", vec![one, other]).await, one_calls, other_calls)
}

fn much_later() -> HandlerError {
    HandlerError::because("later").retry_after(Duration::from_secs(600))
}

async fn waiting(pool: &PgPool) -> usize {
    jobs(pool).await.iter().filter(|job| job.state == "waiting").count()
}

/// Holds a lane, as a worker does or ingest, until `act` waits for it. Then whatever else its holder may want must be free.
async fn while_held<T: Send + 'static>(
    pool: &PgPool,
    lane: &str,
    act: impl Future<Output = T> + Send + 'static,
    wanted: &str,
) -> T {
    let mut holder = pool.begin().await.expect("begin");
    let hold = format!("select from hookgate.lanes where lane = ({lane}) for update");
    holder.execute(AssertSqlSafe(hold)).await.expect("lock the lane");
    let act = tokio::spawn(act);
    eventually("it waits for the lane", true, async || {
        let sql = "select count(*) from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'";
        number(pool, sql).await > 0
    })
    .await;
    let free = holder.execute(AssertSqlSafe(format!("{wanted} for update nowait"))).await;
    free.unwrap_or_else(|error| panic!("what waits for the lane has locked more already: {error}"));
    holder.rollback().await.expect("roll back");
    act.await.expect("no panic")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_touches_no_job_before_it_has_every_lane() {
    let (database, pool) = database_with_effects().await;
    let (gateway, mut one, mut other) = two_handlers(&database).await;
    let answer = Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    one.next().await.end(much_later());
    other.next().await.end(much_later());
    eventually("both wait", 2, async || waiting(&pool).await).await;

    let url = format!("http://{}/api/v1/deliveries/{}/replay", gateway.operator_addr().unwrap(), answer.id());
    let replay = async move { client().post(url).json(&json!({})).send().await.expect("an answer").status() };
    let last = "select lane from hookgate.jobs order by lane desc limit 1";
    let first_job = "select from hookgate.jobs where lane = (select lane from hookgate.jobs order by lane limit 1)";
    assert!(while_held(&pool, last, replay, first_job).await.is_success());
    gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redelivery_of_waiting_and_dead_work_locks_their_lanes_in_order() {
    let (database, pool) = database_with_effects().await;
    let (gateway, mut one, mut other) = two_handlers(&database).await;
    let to = gateway.ingest_addr().unwrap();
    // A lane's key is a hash: one of a few objects has the dead job's lane after the waiting one's.
    let mut n = 0;
    let signed = loop {
        n += 1;
        let signed = Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}"));
        let answer = signed.send(to).await;
        one.next().await.end(HandlerError::because("hopeless").permanent());
        other.next().await.end(much_later());
        eventually("one is dead and one waits", (n, n), async || (deaths(&pool).await.len(), waiting(&pool).await))
            .await;
        let of = format!("where delivery = '{}'", answer.id());
        let after = format!("select count(*) from hookgate.dead {of} and lane > (select lane from hookgate.jobs {of})");
        if number(&pool, &after).await == 1 {
            break signed;
        }
    };
    let newest = "(select max(delivery::text)::uuid from hookgate.jobs)";
    let lane = format!("select lane from hookgate.jobs where delivery = {newest}");
    let later =
        format!("select from hookgate.lanes where lane = (select lane from hookgate.dead where delivery = {newest})");
    while_held(&pool, &lane, async move { signed.send(to).await }, &later).await;
    gateway.shutdown().await;
}
