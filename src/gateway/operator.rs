//! The operator listener's part of a gateway.

use std::sync::Arc;

use secrecy::SecretString;
use sqlx::PgPool;

use crate::admin::{Configured, Operator, OperatorToken, Refusals, Role};
use crate::config::{Config, ProcessRole, TokenRole};
use crate::deliver::Wake;
use crate::receive::arrival::receipt_key;
use crate::{Error, telemetry};

/// What the operator listener works with.
pub(super) fn operator(
    config: &Config,
    pool: PgPool,
    refusals: Arc<Refusals>,
    wake: Arc<Wake>,
) -> Result<Arc<Operator>, Error> {
    let tokens = config.operator.tokens.iter().map(|token| OperatorToken {
        name: token.name.to_string(),
        role: match token.role {
            TokenRole::Read => Role::Read,
            TokenRole::Operate => Role::Operate,
            TokenRole::Admin => Role::Admin,
        },
        secret: SecretString::from(token.secret.expose()),
    });
    Ok(Arc::new(Operator {
        pool,
        tokens: tokens.collect(),
        metrics: telemetry::metrics()?,
        refusals,
        lease: config.worker.lease,
        expects_worker: config.server.roles.contains(&ProcessRole::Worker),
        receipt_key,
        configured: Configured::of(config),
        work_queued: Box::new(move || wake.poke()),
    }))
}
