//! A gateway with one handler of your own: `cargo run --example quickstart -- dev`. It writes to a table of yours:
//! `create table credit (customer text, amount bigint)`.

use hookgate::{Context, Fail, Gateway, HandlerError, Order, on};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct InvoicePaid {
    data: Value,
}

async fn credit(event: InvoicePaid, cx: &mut Context) -> Result<(), HandlerError> {
    let invoice = &event.data["object"];
    let Some(amount) = invoice["amount_paid"].as_i64() else {
        return Err("an invoice without an amount").permanent(); // never retried
    };
    sqlx::query("insert into credit (customer, amount) values ($1, $2)")
        .bind(invoice["customer"].as_str())
        .bind(amount)
        .execute(cx.tx().await?) // commits together with the job, or not at all
        .await?; // a plain `?` means: try again on the schedule
    Ok(())
}

fn main() -> std::process::ExitCode {
    let credit = on("stripe", &["invoice.paid"]).name("credit").order(Order::Lane).run(credit);
    Gateway::builder().handler(credit).run_cli()
}
