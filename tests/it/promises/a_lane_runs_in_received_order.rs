//! Promise 7: within a lane, jobs run one at a time in received order; other lanes are not held up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hookgate::{Context, Handler, HandlerError, Order, Raw, on};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::puppet::puppet;
use crate::support::work::{attempts, database_with_effects, execute, number, unfinished};

/// What a handler saw, told by its own runs.
#[derive(Debug, Default)]
struct Log {
    running: HashMap<String, usize>,
    most_at_once: HashMap<String, usize>,
    most_of_all_at_once: usize,
    /// Sequences of the runs that ended well, by key.
    done: HashMap<String, Vec<i64>>,
    failures: usize,
}

impl Log {
    fn begins(&mut self, key: &str) {
        let running = self.running.entry(key.to_owned()).or_default();
        *running += 1;
        let most = self.most_at_once.entry(key.to_owned()).or_default();
        *most = (*most).max(*running);
        self.most_of_all_at_once = self.most_of_all_at_once.max(self.running.values().sum());
    }

    fn ends(&mut self, key: &str, sequence: i64, well: bool) {
        *self.running.get_mut(key).expect("it began") -= 1;
        if well {
            self.done.entry(key.to_owned()).or_default().push(sequence);
        } else {
            self.failures += 1;
        }
    }
}

/// Takes up to 4 ms, writes half of the time, fails one time in ten.
fn erratic(log: &Arc<Mutex<Log>>) -> Handler {
    let log = Arc::clone(log);
    let run = move |_: Raw, cx: &mut Context| -> BoxFuture<'static, Result<(), HandlerError>> {
        let (log, key) = (Arc::clone(&log), cx.delivery().ordering_key().expect("a key").to_owned());
        let sequence = cx.delivery().sequence().expect("a place in the lane");
        Box::pin(async move {
            log.lock().unwrap().begins(&key);
            tokio::time::sleep(Duration::from_micros(u64::from(rand::random::<u16>() % 4000))).await;
            let well = !rand::random::<u8>().is_multiple_of(10);
            log.lock().unwrap().ends(&key, sequence, well);
            if well { Ok(()) } else { Err(HandlerError::because("one in ten")) }
        })
    };
    let named = on("stripe", &["*"]).name("erratic").order(Order::Lane).concurrency(8).attempts(1000);
    named.backoff(Duration::from_millis(1), 1, Duration::from_millis(5)).run(run)
}

#[tokio::test]
async fn two_gateways_run_two_hundred_events_of_one_key_in_order_and_one_at_a_time() {
    let (database, pool) = database_with_effects().await;
    let log = Arc::new(Mutex::new(Log::default()));
    let first = start(&database, "", vec![erratic(&log)]).await;
    let second = start(&database, "", vec![erratic(&log)]).await;
    let ingest = [first.ingest_addr().unwrap(), second.ingest_addr().unwrap()];
    for n in 0..200 {
        // One after another, so their order is known; through either gateway in turn. Between them, ten other keys.
        let hot = Signed::stripe_event(&format!("evt_hot_{n}"), "a.b", "hot");
        assert_eq!(hot.send(ingest[n % 2]).await.status, 202);
        let other = Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("key_{}", n % 10));
        assert_eq!(other.send(ingest[(n / 2) % 2]).await.status, 202);
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    {
        let log = log.lock().unwrap();
        assert_eq!(log.done["hot"].len(), 200);
        for (key, done) in &log.done {
            assert!(done.is_sorted_by(|a, b| a < b), "{key}: {done:?}");
            assert_eq!(log.most_at_once[key], 1, "{key}");
        }
        assert!(log.failures > 0 && log.most_of_all_at_once > 1, "{log:?}");
    }
    // What the lane calls its order is the order of arrival.
    let unsorted = "select count(*) from (
        select a.seq, lag(a.seq) over (order by substr(d.provider_id, 9)::int) as before
          from hookgate.attempts a join hookgate.deliveries d on d.id = a.delivery
         where a.outcome = 'ok' and d.ordering_key = 'hot') s
         where before >= seq";
    assert_eq!(number(&pool, unsorted).await, 0);
    first.shutdown().await;
    second.shutdown().await;
}

#[tokio::test]
async fn events_that_come_at_the_same_moment_are_run_in_the_order_in_which_they_were_recorded() {
    let (database, pool) = database_with_effects().await;
    let log = Arc::new(Mutex::new(Log::default()));
    let first = start(&database, "", vec![erratic(&log)]).await;
    let second = start(&database, "", vec![erratic(&log)]).await;
    let ingest = [first.ingest_addr().unwrap(), second.ingest_addr().unwrap()];
    let senders = (0..16).map(|sender| {
        tokio::spawn(async move {
            for n in 0..8 {
                let event = Signed::stripe_event(&format!("evt_{sender}_{n}"), "a.b", "hot");
                assert_eq!(event.send(ingest[sender % 2]).await.status, 202);
            }
        })
    });
    for sender in senders.collect::<Vec<_>>() {
        sender.await.expect("no panic");
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    {
        // Strictly: never two of one number, and none that was numbered before one that has run already.
        let log = log.lock().unwrap();
        let done = &log.done["hot"];
        assert!(done.len() == 128 && done.is_sorted_by(|a, b| a < b), "{done:?}");
        assert_eq!(log.most_at_once["hot"], 1);
    }
    first.shutdown().await;
    second.shutdown().await;
}

#[tokio::test]
async fn a_recording_that_began_earlier_and_commits_later_stands_later_in_its_lane() {
    let (database, pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("lane").order(Order::Lane));
    let first = start(&database, "", vec![handler.clone()]).await;
    let second = start(&database, "", vec![handler]).await;
    execute(
        &pool,
        "create function wait_here() returns trigger language plpgsql as
            $$ begin perform pg_advisory_xact_lock_shared(7); return new; end $$;
         create trigger wait_here before insert on hookgate.deliveries
            for each row when (new.provider_id = 'evt_slow') execute function wait_here()",
    )
    .await;
    let mut lock = pool.begin().await.unwrap();
    sqlx::query("select pg_advisory_xact_lock(7)").execute(&mut *lock).await.unwrap();
    let (one, other) = (first.ingest_addr().unwrap(), second.ingest_addr().unwrap());
    let slow = tokio::spawn(async move { Signed::stripe_event("evt_slow", "a.b", "hot").send(one).await });
    let waiting = "select count(*) from pg_stat_activity
                    where datname = current_database() and wait_event = 'advisory' and application_name like 'hookgate%'";
    eventually("the slow one has begun", 1, async || number(&pool, waiting).await).await;
    let quick = Signed::stripe_event("evt_quick", "a.b", "hot").send(other).await;
    lock.rollback().await.unwrap();
    let slow = slow.await.unwrap();
    assert_eq!((quick.status, slow.status), (202, 202), "{} {}", quick.text, slow.text);
    let call = calls.next().await;
    let (ran_first, place) = (call.delivery.to_string(), call.sequence);
    call.succeed();
    let call = calls.next().await;
    assert_eq!((ran_first.as_str(), call.delivery.to_string().as_str()), (quick.id(), slow.id()));
    assert!(call.sequence > place, "{:?} after {place:?}", call.sequence);
    call.succeed();
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    first.shutdown().await;
    second.shutdown().await;
}

#[tokio::test]
async fn a_lane_whose_head_takes_long_holds_up_no_other() {
    let (database, _pool) = database_with_effects().await;
    let (handler, mut calls) = puppet(on("stripe", &["*"]).name("slow").order(Order::Lane).concurrency(8));
    let gateway = start(&database, "", vec![handler]).await;
    let ingest = gateway.ingest_addr().unwrap();
    for n in 0..3 {
        Signed::stripe_event(&format!("evt_hot_{n}"), "a.b", "hot").send(ingest).await;
    }
    let head = calls.next().await;
    for n in 0..20 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("key_{n}")).send(ingest).await;
    }
    for _ in 0..20 {
        let other = calls.next().await;
        assert_ne!(other.object, "hot", "a second one of the lane at once");
        other.succeed();
    }
    let head_sequence = head.sequence;
    head.succeed();
    let mut before = head_sequence;
    for _ in 0..2 {
        let next = calls.next().await;
        assert!(next.object == "hot" && next.sequence > before);
        before = next.sequence;
        next.succeed();
    }
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_failing_head_lets_nothing_of_its_lane_overtake_it() {
    let (database, pool) = database_with_effects().await;
    let named = on("stripe", &["*"]).name("stubborn").order(Order::Lane);
    let (handler, mut calls) = puppet(named.backoff(Duration::ZERO, 1, Duration::from_secs(1)));
    let gateway = start(&database, "", vec![handler]).await;
    let ingest = gateway.ingest_addr().unwrap();
    for n in 0..3 {
        Signed::stripe_event(&format!("evt_{n}"), "a.b", "in_1").send(ingest).await;
    }
    let mut seen = Vec::new();
    for fails in [true, true, false, true, false, false] {
        let call = calls.next().await;
        seen.push((call.sequence, call.attempt));
        if fails { call.fail() } else { call.succeed() }
    }
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    let attempts_of: Vec<u32> = seen.iter().map(|(_, attempt)| *attempt).collect();
    assert_eq!(attempts_of, [1, 2, 3, 1, 2, 1]);
    assert!(seen.is_sorted(), "{seen:?}");
    assert_eq!(attempts(&pool).await.len(), 6);
    gateway.shutdown().await;
}
