//! `[operator]`: who may use the operator listener.

use serde::{Deserialize, Serialize};

use super::Name;
use super::error::Complaints;
use super::secret::{Keyring, Secret, SecretSetting};

/// Who may use the operator listener. Without any token everyone who reaches it is `admin`, which is why
/// hookgate then refuses to listen beyond loopback.
#[derive(Debug, Clone, Serialize)]
pub struct Operator {
    /// Accepted bearer tokens.
    #[serde(rename = "token")]
    pub tokens: Vec<Token>,
}

/// A bearer token of the operator listener.
#[derive(Debug, Clone, Serialize)]
pub struct Token {
    /// Written to the audit trail with what its holder did.
    pub name: Name,
    /// What its holder may do.
    pub role: TokenRole,
    /// What the holder sends as `Authorization: Bearer …`.
    pub secret: Secret,
}

/// What the holder of a token may do. Each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenRole {
    /// See.
    Read,
    /// Replay and release.
    Operate,
    /// Everything.
    Admin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct OperatorSettings {
    #[serde(default)]
    token: Vec<TokenSettings>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with name, role and secret")]
struct TokenSettings {
    name: Name,
    role: TokenRole,
    secret: SecretSetting,
}

impl OperatorSettings {
    pub(super) fn resolve(self, keyring: &Keyring<'_>, complaints: &mut Complaints) -> Operator {
        let mut tokens = Vec::new();
        for TokenSettings { name, role, secret } in self.token {
            let setting = format!("operator.token.{name}.secret");
            let secret = keyring.fetch(&setting, secret).and_then(|secret| long_enough(&setting, secret));
            if let Some(secret) = complaints.take(secret) {
                tokens.push(Token { name, role, secret });
            }
        }
        Operator { tokens }
    }
}

/// Nothing slows down guessing at the operator listener, so a token must be too long to guess.
fn long_enough(setting: &str, secret: Secret) -> Result<Secret, String> {
    if secret.expose().len() >= 16 {
        return Ok(secret);
    }
    Err(format!(
        "`{setting}` ({}) is shorter than 16 bytes and could be guessed: make one with `openssl rand -hex 32`",
        secret.reference()
    ))
}
