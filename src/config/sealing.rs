//! `[secrets]`: the keys under which secrets are sealed that a provider sends in a handshake.

use serde::{Deserialize, Serialize};

use super::error::Complaints;
use super::secret::{Keyring, Secret, SecretSetting};
use crate::sealing::{SealingKey, SealingKeys};

/// The keys under which secrets are sealed that a provider sends in a handshake.
#[derive(Debug, Clone, Serialize)]
pub struct Secrets {
    /// Seals new ones. `None`: no source can be paired.
    pub sealing_key: Option<Secret>,
    /// Those before it, which still open what they sealed.
    pub sealing_key_old: Vec<Secret>,
    /// The same, ready for use.
    #[serde(skip)]
    pub(crate) keys: SealingKeys,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct SecretsSettings {
    sealing_key: Option<SecretSetting>,
    sealing_key_old: Vec<SecretSetting>,
}

impl SecretsSettings {
    pub(super) fn resolve(self, keyring: &Keyring<'_>, complaints: &mut Complaints) -> Secrets {
        let mut fetch = |setting: &str, wanted| {
            let secret = complaints.take(keyring.fetch(setting, wanted))?;
            let key = SealingKey::parse(secret.expose());
            let key = complaints.take(key.map_err(|why| format!("`{setting}` ({}): {why}", secret.reference())))?;
            Some((secret, key))
        };
        let newest = self.sealing_key.and_then(|wanted| fetch("secrets.sealing_key", wanted));
        let older = self.sealing_key_old.into_iter().filter_map(|wanted| fetch("secrets.sealing_key_old", wanted));
        let (sealing_key_old, old_keys): (Vec<_>, Vec<_>) = older.unzip();
        let (sealing_key, key) = newest.unzip();
        Secrets { sealing_key, sealing_key_old, keys: SealingKeys::new(key, old_keys) }
    }
}
