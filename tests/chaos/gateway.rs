//! A gateway process: two Rust handlers whose effects are rows, and which fail now and then.

use std::process::ExitCode;
use std::time::Duration;

use hookgate::config::{Config, LoadOptions, Mode};
use hookgate::{Context, Gateway, HandlerError, Named, Order, on};
use rand::RngExt;
use tokio::signal::unix::{SignalKind, signal};

use crate::events::{Kind, Received};

/// Runs until SIGTERM. Says on its output where it receives.
#[tokio::main]
pub(crate) async fn run(file: &str) -> ExitCode {
    match serve(file).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the gateway did not start: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(file: &str) -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::load(&LoadOptions::of_process(Some(file.into()), Mode::Dev))?;
    hookgate::telemetry::init(hookgate::telemetry::Format::Text, &config.log.level)?;
    let ordered = patient(on("stripe", &["ordered.*"]).name("ordered").order(Order::Lane)).run(book_ordered);
    let loose = patient(on("stripe", &["loose.*"]).name("loose")).run(book_loose);
    let gateway = Gateway::builder().config(config).handler(ordered).handler(loose).start().await?;
    println!("ready: {}", gateway.ingest_addr().ok_or("it does not receive")?);
    signal(SignalKind::terminate())?.recv().await;
    gateway.shutdown().await;
    Ok(())
}

/// Faults may cost attempts; none may cost a job.
fn patient(handler: Named) -> Named {
    let backoff = (Duration::from_millis(100), Duration::from_secs(1));
    handler.attempts(10_000).concurrency(8).timeout(Duration::from_secs(4)).backoff(backoff.0, 2, backoff.1)
}

async fn book_ordered(event: Received, cx: &mut Context) -> Result<(), HandlerError> {
    book(Kind::Ordered, event, cx).await
}

async fn book_loose(event: Received, cx: &mut Context) -> Result<(), HandlerError> {
    book(Kind::Loose, event, cx).await
}

/// Writes one effect, in the transaction that its job completes in; nothing in the table keeps it from being there twice.
async fn book(kind: Kind, event: Received, cx: &mut Context) -> Result<(), HandlerError> {
    stumble("before").await?;
    let (attempt, sequence) = (cx.attempt() as i32, cx.delivery().sequence());
    sqlx::query("insert into effect (kind, event, key, n, attempt, sequence) values ($1, $2, $3, $4, $5, $6)")
        .bind(kind.name())
        .bind(&event.id)
        .bind(&event.data.object.id)
        .bind(event.data.object.n)
        .bind(attempt)
        .bind(sequence)
        .execute(cx.tx().await?)
        .await?;
    stumble("after").await
}

/// What handlers do: mostly nothing, and sometimes they are slow, fail, panic, or hang beyond their time.
async fn stumble(at: &str) -> Result<(), HandlerError> {
    let drawn = rand::rng().random_range(0..1000);
    match drawn {
        0..10 => Err(HandlerError::because(format!("as the dice told it, {at} it wrote"))),
        10..12 => panic!("as the dice told it, {at} it wrote"),
        12..13 => std::future::pending().await,
        13..100 => {
            tokio::time::sleep(Duration::from_millis(drawn)).await;
            Ok(())
        }
        _ => Ok(()),
    }
}
