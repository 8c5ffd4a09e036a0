//! Whether the books balance. Each check is a sentence about what would be wrong.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, PgPool};

use crate::database::Database;
use crate::destination::Destination;
use crate::events::{Event, Kind};
use crate::fleet::Fleet;
use crate::ledger::Ledger;

/// How long the work that is left may take once nothing goes wrong any more.
const PATIENCE: Duration = Duration::from_secs(180);

/// Waits until no job is left.
pub(crate) async fn at_rest(database: &Database, fleet: &Fleet) -> Vec<String> {
    fleet.all_up().await;
    let pool = database.pool().await;
    let until = Instant::now() + PATIENCE;
    loop {
        let left = number(&pool, "select count(*) from hookgate.jobs").await;
        if left == 0 {
            return Vec::new();
        }
        if Instant::now() > until {
            let states = "select string_agg(state || ' x' || n, ', ') from
                              (select state, count(*) as n from hookgate.jobs group by state) s";
            let states: String = sqlx::query_scalar(states).fetch_one(&pool).await.expect("ask");
            return vec![format!("{left} jobs are left after {} s of calm: {states}", PATIENCE.as_secs())];
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Compares what was sent with what was done.
pub(crate) async fn balance(
    database: &Database,
    destination: &Destination,
    events: &[Event],
    ledger: &Ledger,
) -> Vec<String> {
    let pool = database.pool().await;
    let mut complaints = Vec::new();
    effects(&pool, events, ledger, &mut complaints).await;
    order(&pool, events, &mut complaints).await;
    forwards(destination, events, ledger, &mut complaints);

    let deliveries = number(&pool, "select count(*) from hookgate.deliveries").await;
    ledger.add("kept", "deliveries", deliveries as u64);
    ledger.add("kept", "copies noted", number(&pool, "select count(*) from hookgate.copies").await as u64);
    for (outcome, n) in rows::<(String, i64)>(&pool, "select outcome, count(*) from hookgate.attempts group by 1").await
    {
        ledger.add("attempts", outcome, n as u64);
    }
    let sent = events.len() as i64;
    let wrong = [
        ("deliveries more or fewer than events", format!("select count(*) - {sent} from hookgate.deliveries")),
        ("receipts more or fewer than events", format!("select count(*) - {sent} from hookgate.receipts")),
        ("dead jobs", "select count(*) from hookgate.dead".to_owned()),
        ("conflicts", "select count(*) from hookgate.conflicts".to_owned()),
        (
            "lanes that are not idle or miscount",
            "select count(*) from hookgate.lanes where state <> 'idle' or pending <> 0 or snoozed <> 0".to_owned(),
        ),
        (
            "jobs that succeeded twice, or not at all",
            "select count(*) from (select from hookgate.attempts group by delivery, event, subscription, run
                                   having count(*) filter (where outcome = 'ok') <> 1) j"
                .to_owned(),
        ),
        ("attempts out of order", "select count(*) from hookgate.attempts where out_of_order".to_owned()),
    ];
    for (what, sql) in wrong {
        match number(&pool, &sql).await {
            0 => {}
            n => complaints.push(format!("{what}: {n}")),
        }
    }
    complaints
}

/// After both gateways ended in order nothing of them is there any more.
pub(crate) async fn left_behind(database: &Database) -> Vec<String> {
    let pool = database.pool().await;
    let claims = "select (select count(*) from hookgate.lanes where worker is not null)
                       + (select count(*) from hookgate.jobs where worker is not null)";
    match number(&pool, claims).await {
        0 => Vec::new(),
        n => vec![format!("{n} claims of workers that ended")],
    }
}

/// Every acknowledged event of a Rust handler has exactly one effect, and nothing else has any.
async fn effects(pool: &PgPool, events: &[Event], ledger: &Ledger, complaints: &mut Vec<String>) {
    let counted = rows::<(String, String, i64)>(pool, "select kind, event, count(*) from effect group by 1, 2").await;
    let mut counted: HashMap<(String, String), i64> =
        counted.into_iter().map(|(kind, event, n)| ((kind, event), n)).collect();
    for event in events.iter().filter(|event| event.kind != Kind::Forwarded) {
        match counted.remove(&(event.kind.name().to_owned(), event.id())).unwrap_or_default() {
            1 => ledger.count("processed", format!("{}, effects exactly once", event.kind.name())),
            0 => complaints.push(format!("{} was acknowledged and never processed", event.id())),
            n => complaints.push(format!("{} has its effect {n} times", event.id())),
        }
    }
    complaints
        .extend(counted.keys().map(|(kind, event)| format!("an effect of {event} for {kind}, which was not sent")));
}

/// The numbers of each key rise, in the order in which effects were written and by the lane's own sequence.
async fn order(pool: &PgPool, events: &[Event], complaints: &mut Vec<String>) {
    let sql = "select key, n, sequence from effect where kind = 'ordered' order by id";
    let mut last: HashMap<String, (i64, i64)> = HashMap::new();
    for (key, n, sequence) in rows::<(String, i64, Option<i64>)>(pool, sql).await {
        let now = (n, sequence.unwrap_or_default());
        if let Some(before) = last.insert(key.clone(), now)
            && (before.0 >= now.0 || before.1 >= now.1)
        {
            complaints.push(format!("of {key}, number {n} was processed after {}", before.0));
        }
    }
    let keys: HashSet<&str> =
        events.iter().filter(|event| event.kind == Kind::Ordered).map(|event| event.key.as_str()).collect();
    if keys.len() != last.len() {
        complaints.push(format!("{} keys were sent and {} were processed", keys.len(), last.len()));
    }
}

/// Every acknowledged event of the forward was accepted at least once, and each of its tries had the same key.
fn forwards(destination: &Destination, events: &[Event], ledger: &Ledger, complaints: &mut Vec<String>) {
    let mut arrived = destination.arrived();
    for event in events.iter().filter(|event| event.kind == Kind::Forwarded) {
        let arrivals = arrived.remove(&event.id()).unwrap_or_default();
        ledger.add("processed", "forwarded, requests to the destination", arrivals.requests);
        match arrivals.accepted {
            0 => complaints.push(format!("{} was acknowledged and never accepted by its destination", event.id())),
            1 => ledger.count("processed", "forwarded, accepted once"),
            _ => ledger.count("processed", "forwarded, accepted more than once, under one key"),
        }
        let one = |of: &BTreeSet<String>| of.len() == 1 && !of.contains("");
        if arrivals.requests > 0 && !(one(&arrivals.keys) && one(&arrivals.ids)) {
            complaints.push(format!(
                "{} came with the keys {:?} and ids {:?}",
                event.id(),
                arrivals.keys,
                arrivals.ids
            ));
        }
    }
    complaints.extend(arrived.keys().map(|event| format!("{event} was forwarded and not sent")));
}

async fn rows<T>(pool: &PgPool, sql: &str) -> Vec<T>
where
    T: for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    sqlx::query_as(AssertSqlSafe(sql.to_owned())).fetch_all(pool).await.expect("ask")
}

async fn number(pool: &PgPool, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(pool).await.expect("ask")
}
