//! `migrate`: the schema, brought up to date before a rolling deploy starts new gateways.

use serde_json::json;

use super::Invocation;
use super::exit::{Exit, Failure};
use crate::config::Mode;
use crate::gateway::Builder;

pub(super) async fn run(invocation: &Invocation, builder: Builder) -> Result<Exit, Failure> {
    let config = invocation.config(Mode::Serve)?;
    builder.config(config).migrate().await.map_err(super::serve::refused)?;
    invocation.screen.line("The schema is up to date.");
    invocation.screen.value(&json!({"migrated": true}));
    Ok(Exit::Done)
}
