//! Handlers against a real database, through what `hookgate::testing` gives users.

use std::time::Duration;

use hookgate::testing::{self, Outcome};
use hookgate::{Context, Handler, HandlerError, Raw, on};
use sqlx::{Acquire, PgConnection, PgPool};

use crate::support::postgres;

#[derive(serde::Deserialize)]
struct Invoice {
    customer: String,
}

async fn credit(event: Invoice, cx: &mut Context) -> Result<(), HandlerError> {
    sqlx::query("insert into credit values ($1)").bind(event.customer).execute(cx.tx().await?).await?;
    Ok(())
}

async fn pool() -> PgPool {
    let pool = postgres::database().await.pool().await;
    sqlx::query("create table credit (customer text not null)").execute(&pool).await.expect("create");
    pool
}

async fn credited(conn: &mut PgConnection) -> i64 {
    sqlx::query_scalar("select count(*) from credit").fetch_one(conn).await.expect("count")
}

async fn credited_for_good(pool: &PgPool) -> i64 {
    credited(&mut pool.acquire().await.expect("a connection")).await
}

fn paid() -> testing::Event {
    testing::event("stripe", "invoice.paid", serde_json::json!({ "customer": "cus_1" }))
}

fn stripe() -> hookgate::Named {
    on("stripe", &["invoice.*"]).name("credit")
}

async fn outcome(handler: &Handler, pool: &PgPool) -> Outcome {
    testing::run(handler, paid(), pool).await.expect("the database works").outcome
}

#[tokio::test]
async fn what_a_handler_wrote_can_be_inspected_and_is_rolled_back() {
    let pool = pool().await;
    let (report, seen) = testing::run_and_inspect(&stripe().run(credit), paid(), &pool, credited).await.expect("runs");
    assert_eq!((report.outcome, report.error), (Outcome::Ok, None));
    assert_eq!(seen, 1);
    assert_eq!(credited_for_good(&pool).await, 0);
}

#[tokio::test]
async fn a_handler_that_ends_the_lent_transaction_is_found_out() {
    async fn commits(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
        sqlx::query("commit").execute(cx.tx().await?).await?;
        Ok(())
    }
    async fn begins_another(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
        sqlx::raw_sql("rollback; begin").execute(cx.tx().await?).await?;
        Ok(())
    }
    let pool = pool().await;
    assert_eq!(outcome(&stripe().run(commits), &pool).await, Outcome::Escaped);
    assert_eq!(outcome(&stripe().run(begins_another), &pool).await, Outcome::Escaped);
}

#[tokio::test]
async fn a_nested_transaction_is_a_savepoint() {
    async fn tries(event: Invoice, cx: &mut Context) -> Result<(), HandlerError> {
        let tx = cx.tx().await?;
        let mut inner = tx.begin().await?;
        sqlx::query("insert into credit values ('given up')").execute(&mut *inner).await?;
        inner.rollback().await?;
        credit(event, cx).await
    }
    let pool = pool().await;
    let (report, seen) = testing::run_and_inspect(&stripe().run(tries), paid(), &pool, credited).await.expect("runs");
    assert_eq!((report.outcome, seen), (Outcome::Ok, 1));
}

#[tokio::test]
async fn an_idle_transaction_is_bounded_and_the_bound_goes_with_it() {
    async fn looks(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
        let limit: String =
            sqlx::query_scalar("show idle_in_transaction_session_timeout").fetch_one(cx.tx().await?).await?;
        Err(HandlerError::because(limit))
    }
    let pool = postgres::database().await.pool().await;
    let handler = stripe().timeout(Duration::from_secs(4)).run(looks);
    let report = testing::run(&handler, paid(), &pool).await.expect("runs");
    assert_eq!(report.error.as_deref(), Some("9s"));
    // One after the other, the pool hands out the same connection.
    let after: String =
        sqlx::query_scalar("show idle_in_transaction_session_timeout").fetch_one(&pool).await.expect("show");
    assert_eq!(after, "0");
}

#[tokio::test]
async fn a_failed_statement_is_tried_again_and_told_with_its_causes() {
    async fn fails(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
        sqlx::query("insert into nowhere values (1)").execute(cx.tx().await?).await?;
        Ok(())
    }
    let report = testing::run(&stripe().run(fails), paid(), &pool().await).await.expect("runs");
    assert_eq!(report.outcome, Outcome::Failed { retry_after: None });
    assert!(report.error.is_some_and(|error| error.contains("nowhere")));
}

#[tokio::test]
async fn a_payload_that_does_not_fit_never_reaches_the_handler() {
    let pool = pool().await;
    let event = paid().body("application/json", r#"{"customer": 7}"#);
    let report = testing::run(&stripe().run(credit), event, &pool).await.expect("runs");
    assert_eq!(report.outcome, Outcome::Undecodable);
    assert!(report.error.is_some_and(|error| error.contains("/customer")));
}

#[tokio::test]
async fn a_handler_that_does_not_end_times_out() {
    async fn waits(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
        std::future::pending().await
    }
    let handler = stripe().timeout(Duration::from_millis(20)).run(waits);
    assert_eq!(outcome(&handler, &pool().await).await, Outcome::Timeout);
}

#[tokio::test]
async fn a_handler_gets_its_state_and_its_attempt() {
    async fn uses(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
        Err(HandlerError::because(format!("{} {}", cx.state::<u32>()?, cx.attempt())))
    }
    let pool = postgres::database().await.pool().await;
    let handler = stripe().run(uses);
    let report = testing::run(&handler, paid().state(7u32).attempt(3), &pool).await.expect("runs");
    assert_eq!(report.error.as_deref(), Some("7 3"));
    let without = testing::run(&handler, paid(), &pool).await.expect("runs");
    assert_eq!(without.outcome, Outcome::Permanent);
}
