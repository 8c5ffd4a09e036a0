//! Promise 6: crash anywhere, and nothing acknowledged is lost, no effect in our transaction is doubled, and the result
//! of a worker that was taken for dead is refused.

use serde_json::{Value, json};
use sqlx::{PgPool, Postgres, Transaction};

use crate::support::eventually::eventually;
use crate::support::gateway::Signed;
use crate::support::process::{Ledger, booked, database_with_ledger, open_gate, reached};
use crate::support::work::{attempts, deaths, execute, job, lanes, number, tried, unfinished};

/// In a lane, and in none.
const KINDS: [&str; 2] = ["payment.made", "loose.made"];

fn payment(kind: &str, id: &str, drill: Value) -> Signed {
    let object = json!({"id": id, "amount": 100, "drill": drill});
    let event = json!({"id": format!("evt_{id}"), "type": kind, "created": 1_700_000_000, "data": {"object": object}});
    Signed::stripe(event.to_string())
}

async fn deliver(to: &Ledger, kind: &str, id: &str, drill: Value) {
    let answer = payment(kind, id, drill).send(to.ingest()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
}

async fn all_done(pool: &PgPool) {
    eventually("no unfinished job", 0, async || unfinished(pool).await).await;
}

/// A transaction that locks a table until it is dropped or ended.
async fn locked(pool: &PgPool, table: &str, mode: &str) -> Transaction<'static, Postgres> {
    let mut lock = pool.begin().await.expect("begin");
    let sql = format!("lock table hookgate.{table} in {mode} mode");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut *lock).await.expect("lock");
    lock
}

/// Waits until a statement of the gateway that contains `text` waits for a lock.
async fn blocked(pool: &PgPool, text: &str) {
    let sql = format!(
        "select count(*) from pg_stat_activity
          where datname = current_database() and application_name like 'hookgate%' and wait_event_type = 'Lock'
            and query like '%{text}%'"
    );
    eventually(text, true, async || number(pool, &sql).await > 0).await;
}

#[tokio::test]
async fn killed_before_it_committed_it_acknowledged_nothing_and_the_next_try_is_handled_once() {
    for kind in KINDS {
        let (database, pool) = database_with_ledger().await;
        let mut killed = Ledger::start(&database);
        let lock = locked(&pool, "receipts", "share").await;
        let event = payment(kind, "p1", json!({}));
        let to = killed.ingest();
        let answer = tokio::spawn({
            let event = event.clone();
            async move { event.try_send(to).await }
        });
        blocked(&pool, "insert into hookgate.receipts").await;
        killed.kill();
        assert!(answer.await.expect("no panic").is_none(), "answered before the commit");
        lock.rollback().await.expect("unlock");
        // Whatever its server process still did ended with the connection.
        eventually("the server's side ended", 0, async || {
            number(&pool, "select count(*) from pg_stat_activity where application_name = 'hookgate ingest' and datname = current_database()").await
        })
        .await;
        assert_eq!(number(&pool, "select count(*) from hookgate.deliveries").await, 0);

        let next = Ledger::start(&database);
        let answer = event.send(next.ingest()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
        all_done(&pool).await;
        assert_eq!((booked(&pool, "p1").await, attempts(&pool).await), (1, tried(&["ok"])));
    }
}

#[tokio::test]
async fn killed_after_it_acknowledged_and_before_the_handler_ran_another_runs_it() {
    for kind in KINDS {
        let (database, pool) = database_with_ledger().await;
        let mut killed = Ledger::start(&database);
        // A claim asks for subscriptions that are not paused; recording does not.
        let lock = locked(&pool, "subscriptions", "access exclusive").await;
        deliver(&killed, kind, "p1", json!({})).await;
        killed.kill();
        lock.rollback().await.expect("unlock");
        assert_eq!((booked(&pool, "p1").await, job(&pool).await.attempt), (0, 0));

        let next = Ledger::start(&database);
        all_done(&pool).await;
        assert_eq!((booked(&pool, "p1").await, attempts(&pool).await), (1, tried(&["ok"])));
        let again = payment(kind, "p1", json!({})).send(next.ingest()).await;
        assert_eq!((again.status, again.outcome()), (202, "duplicate"));
    }
}

#[tokio::test]
async fn killed_in_the_handler_before_or_after_its_write_another_books_it_once() {
    for kind in KINDS {
        for step in ["called", "booked"] {
            let (database, pool) = database_with_ledger().await;
            let mut killed = Ledger::start(&database);
            deliver(&killed, kind, "p1", json!({"waits_at": [step]})).await;
            reached(&pool, "p1", step, 1).await;
            killed.kill();
            open_gate(&pool, "p1", step).await;
            assert_eq!((job(&pool).await.state.as_str(), booked(&pool, "p1").await), ("running", 0));

            // Two that both look for silent workers: still one rescue.
            let _rescuers = [Ledger::start_worker(&database), Ledger::start_worker(&database)];
            all_done(&pool).await;
            assert_eq!(
                (booked(&pool, "p1").await, attempts(&pool).await),
                (1, tried(&["lost", "ok"])),
                "{kind} {step}"
            );
            eventually("the dead worker's row is gone", 2, async || {
                number(&pool, "select count(*) from hookgate.workers").await
            })
            .await;
        }
    }
}

/// Every settle stops at its attempt's row until the lock is released.
async fn stop_settles(pool: &PgPool) -> Transaction<'static, Postgres> {
    execute(
        pool,
        "create function wait_here() returns trigger language plpgsql as
            $$ begin if new.outcome = 'ok' then perform pg_advisory_xact_lock_shared(6); end if; return new; end $$;
         create trigger wait_here before insert on hookgate.attempts for each row execute function wait_here()",
    )
    .await;
    let mut lock = pool.begin().await.expect("begin");
    sqlx::query("select pg_advisory_xact_lock(6)").execute(&mut *lock).await.expect("lock");
    lock
}

#[tokio::test]
async fn killed_in_the_middle_of_settling_another_books_it_once() {
    for kind in KINDS {
        let (database, pool) = database_with_ledger().await;
        let lock = stop_settles(&pool).await;
        let mut killed = Ledger::start(&database);
        deliver(&killed, kind, "p1", json!({})).await;
        blocked(&pool, "insert into hookgate.attempts").await;
        killed.kill();
        lock.rollback().await.expect("unlock");

        let _next = Ledger::start_worker(&database);
        all_done(&pool).await;
        assert_eq!((booked(&pool, "p1").await, attempts(&pool).await), (1, tried(&["lost", "ok"])));
    }
}

#[tokio::test]
async fn stopped_in_the_middle_of_settling_it_holds_up_neither_ingest_nor_rescue() {
    for kind in KINDS {
        let (database, pool) = database_with_ledger().await;
        let lock = stop_settles(&pool).await;
        let stopped = Ledger::start(&database);
        deliver(&stopped, kind, "p1", json!({})).await;
        blocked(&pool, "insert into hookgate.attempts").await;
        stopped.stop();
        // Its transaction now holds the lane's row, and nobody will end it.
        lock.rollback().await.expect("unlock");

        let next = Ledger::start(&database);
        all_done(&pool).await;
        let answer = payment(kind, "p2", json!({})).send(next.ingest()).await;
        assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
        all_done(&pool).await;
        stopped.go_on();
        eventually("the stopped worker is told", true, async || {
            let log = stopped.log();
            log.contains("attempt.fenced") || log.contains("settle.failed")
        })
        .await;
        assert_eq!((booked(&pool, "p1").await, booked(&pool, "p2").await), (1, 1));
        assert_eq!(attempts(&pool).await.len(), 3, "lost, ok, and the other payment's ok");
    }
}

#[tokio::test]
async fn the_result_of_a_worker_that_was_taken_for_dead_is_refused() {
    for kind in KINDS {
        // Without and with an open transaction.
        for (step, drill) in [
            ("called", json!({"waits_at": ["called"], "writes_nothing": true})),
            ("called", json!({"waits_at": ["called"]})),
            ("booked", json!({"waits_at": ["booked"]})),
        ] {
            let (database, pool) = database_with_ledger().await;
            let stopped = Ledger::start(&database);
            deliver(&stopped, kind, "p1", drill.clone()).await;
            reached(&pool, "p1", step, 1).await;
            stopped.stop();

            let _other = Ledger::start_worker(&database);
            reached(&pool, "p1", step, 2).await;
            open_gate(&pool, "p1", step).await;
            all_done(&pool).await;
            let expected = i64::from(drill.get("writes_nothing").is_none());
            assert_eq!((booked(&pool, "p1").await, attempts(&pool).await), (expected, tried(&["lost", "ok"])));

            stopped.go_on();
            eventually("it is told", true, async || stopped.log().contains("attempt.fenced")).await;
            eventually("its transaction is over", 0, async || {
                number(&pool, "select count(*) from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'").await
            })
            .await;
            assert_eq!((booked(&pool, "p1").await, attempts(&pool).await), (expected, tried(&["lost", "ok"])));
            assert_eq!((unfinished(&pool).await, deaths(&pool).await.len()), (0, 0));
            // It is a worker like any other again.
            deliver(&stopped, kind, "p2", json!({})).await;
            all_done(&pool).await;
            assert_eq!(booked(&pool, "p2").await, 1);
        }
    }
}

#[tokio::test]
async fn the_result_is_refused_too_while_the_other_worker_still_runs_the_job() {
    for kind in KINDS {
        let (database, pool) = database_with_ledger().await;
        let stopped = Ledger::start(&database);
        deliver(&stopped, kind, "p1", json!({"waits_at": ["booked"]})).await;
        reached(&pool, "p1", "booked", 1).await;
        stopped.stop();
        let other = Ledger::start_worker(&database);
        reached(&pool, "p1", "booked", 2).await;

        // The other stands still while the stopped one finishes, but not for as long as its lease.
        other.stop();
        stopped.go_on();
        open_gate(&pool, "p1", "booked").await;
        eventually("it is told", true, async || stopped.log().contains("attempt.fenced")).await;
        assert_eq!(booked(&pool, "p1").await, 0);
        other.go_on();
        all_done(&pool).await;
        assert_eq!(booked(&pool, "p1").await, 1);
        let attempts = attempts(&pool).await;
        assert_eq!(attempts.last().map(|(_, outcome)| outcome.as_str()), Some("ok"), "{attempts:?}");
        assert_eq!(attempts.iter().filter(|(_, outcome)| outcome == "ok").count(), 1, "{attempts:?}");
    }
}

#[tokio::test]
async fn a_job_that_kills_its_process_three_times_is_dead_and_its_lane_goes_on() {
    for kind in KINDS {
        let (database, pool) = database_with_ledger().await;
        let mut first = Ledger::start(&database);
        let lock = locked(&pool, "subscriptions", "access exclusive").await;
        deliver(&first, kind, "p1", json!({"dies_at": "called"})).await;
        if kind == "payment.made" {
            deliver_behind(&first, kind, "evt_behind").await;
        }
        lock.rollback().await.expect("unlock");
        first.wait();
        for _ in 0..2 {
            Ledger::start_worker(&database).wait();
        }
        let fourth = Ledger::start(&database);
        eventually("poison", vec!["poison".to_owned()], async || deaths(&pool).await).await;
        deliver_behind(&fourth, kind, "evt_later").await;
        all_done(&pool).await;
        let later = "select count(*) from ledger where amount = 7";
        assert_eq!(number(&pool, later).await, if kind == "payment.made" { 2 } else { 1 });
        assert_eq!(number(&pool, "select count(*) from ledger where amount <> 7").await, 0);
        let lost = "select count(*) from hookgate.attempts
                     where outcome = 'lost' and delivery in (select delivery from hookgate.dead)";
        assert_eq!(number(&pool, lost).await, 3);
        assert_eq!(number(&pool, "select count(*) from hookgate.attempts where outcome = 'lost'").await, 3);
        assert!(lanes(&pool).await.iter().all(|(_, state, pending)| (state.as_str(), *pending) == ("idle", 0)));
    }
}

/// A harmless event of the same key.
async fn deliver_behind(to: &Ledger, kind: &str, id: &str) {
    let event = json!({"id": id, "type": kind, "data": {"object": {"id": "p1", "amount": 7}}});
    let answer = Signed::stripe(event.to_string()).send(to.ingest()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
}
