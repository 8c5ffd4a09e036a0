//! A ledger fed by Stripe: every payment is booked in the very transaction its job completes in, so it is booked once,
//! whatever crashes.
//!
//! `cargo run --example ledger -- hookgate.toml`, with a `[source.stripe]` and a `database.url` in the file. The crash
//! tests run this program and kill it at every step; an event that carries a `drill` tells it where to stop for that.

use std::path::PathBuf;
use std::time::Duration;

use hookgate::config::{Config, LoadOptions, Mode};
use hookgate::{Context, Fail, Gateway, HandlerError, Order, on};
use serde::Deserialize;
use sqlx::PgPool;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Deserialize)]
struct Event {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Payment,
}

#[derive(Deserialize)]
struct Payment {
    id: String,
    amount: i64,
    #[serde(default)]
    drill: Drill,
}

async fn book(event: Event, cx: &mut Context) -> Result<(), HandlerError> {
    let Payment { id, amount, drill } = event.data.object;
    if amount <= 0 {
        return Err("a payment of nothing").permanent();
    }
    drill.reach("called", &id, cx).await?;
    let attempt = cx.attempt() as i32;
    if !drill.writes_nothing {
        sqlx::query("insert into ledger (payment, amount, attempt) values ($1, $2, $3)")
            .bind(&id)
            .bind(amount)
            .bind(attempt)
            .execute(cx.tx().await?)
            .await?;
    }
    drill.reach("booked", &id, cx).await
}

/// What a test has this program do in the middle of a payment.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Drill {
    /// Steps at which to wait until `drill_gate` names them.
    waits_at: Vec<String>,
    /// The step at which the process dies.
    dies_at: Option<String>,
    writes_nothing: bool,
}

impl Drill {
    async fn reach(&self, step: &str, payment: &str, cx: &Context) -> Result<(), HandlerError> {
        if self.dies_at.as_deref() == Some(step) {
            std::process::abort();
        }
        if !self.waits_at.iter().any(|wait| wait == step) {
            return Ok(());
        }
        // Beside the job's transaction: it must be seen although the job is not done.
        let pool = cx.state::<PgPool>()?;
        sqlx::query("insert into drill_reached (payment, step, attempt) values ($1, $2, $3)")
            .bind(payment)
            .bind(step)
            .bind(cx.attempt() as i32)
            .execute(pool)
            .await?;
        let gate = "select exists (select from drill_gate where payment = $1 and step = $2)";
        while !sqlx::query_scalar(gate).bind(payment).bind(step).fetch_one(pool).await? {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let config = Config::load(&LoadOptions::of_process(file, Mode::Dev))?;
    hookgate::telemetry::init(hookgate::telemetry::Format::Text, &config.log.level)?;
    let url = config.database.url.as_ref().ok_or("the ledger needs a database.url")?;
    let pool = PgPool::connect_lazy(url.expose())?;
    sqlx::raw_sql(
        "create table if not exists ledger (payment text not null, amount bigint not null, attempt int not null);
         create table if not exists drill_reached (payment text not null, step text not null, attempt int not null);
         create table if not exists drill_gate (payment text not null, step text not null);",
    )
    .execute(&pool)
    .await?;

    let ledger = on("stripe", &["payment.*"]).name("ledger").order(Order::Lane).concurrency(4).run(book);
    let loose = on("stripe", &["loose.*"]).name("loose_ledger").run(book);
    let gateway = Gateway::builder().config(config).state(pool).handler(ledger).handler(loose).start().await?;
    println!("ready: {}", gateway.ingest_addr().map_or("runs handlers only".to_owned(), |addr| addr.to_string()));
    signal(SignalKind::terminate())?.recv().await;
    gateway.shutdown().await;
    Ok(())
}
