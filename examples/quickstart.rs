//! A gateway with one handler of your own: `cargo run --example quickstart -- dev`.

use hookgate::{Context, Fail, Gateway, HandlerError, Order, on};
use serde::Deserialize;

#[derive(Deserialize)]
struct InvoicePaid {
    customer: String,
    amount_paid: i64,
}

async fn credit_account(event: InvoicePaid, cx: &mut Context) -> Result<(), HandlerError> {
    if event.amount_paid <= 0 {
        return Err("non-positive invoice").permanent(); // never retried
    }
    let key = cx.idempotency_key().to_owned(); // the same on every retry and replay
    sqlx::query("insert into credit (customer, amount, key) values ($1, $2, $3) on conflict do nothing")
        .bind(event.customer)
        .bind(event.amount_paid)
        .bind(key)
        .execute(cx.tx().await?) // commits together with the job, or not at all
        .await?; // a plain `?` means: try again on the schedule
    Ok(())
}

fn main() -> std::process::ExitCode {
    let credit = on("stripe", &["invoice.paid"]).name("credit").order(Order::Lane).run(credit_account);
    Gateway::builder().handler(credit).run_cli()
}
