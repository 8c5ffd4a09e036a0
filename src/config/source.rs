//! `[source.NAME]`: one ingest endpoint.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::error::Complaints;
use super::secret::{Keyring, Secret, SecretSetting};
use super::{Name, RetentionClass, duration, size};

/// One ingest endpoint, `POST /in/{name}`.
#[derive(Debug, Clone, Serialize)]
pub struct Source {
    /// The name in the URL.
    #[serde(skip)]
    pub name: Name,
    /// Which provider's rules apply.
    pub provider: String,
    /// Whether it receives; a disabled source is answered as an unknown one.
    pub enabled: bool,
    /// Live secrets, at least one; any may match.
    pub secrets: Vec<Secret>,
    /// Whose events these are; `None`: nobody's in particular.
    pub tenant: Option<Name>,
    /// How old or how far ahead a signed timestamp may be; `None`: what the provider says.
    #[serde(with = "duration::optional")]
    pub tolerance: Option<Duration>,
    /// Largest body in bytes; `None`: `server.max_body`.
    #[serde(with = "size::optional")]
    pub max_body: Option<usize>,
    /// What becomes of a known id with another body.
    pub on_conflict: OnConflict,
    /// How long payloads are kept.
    pub retention: RetentionClass,
    /// Where the delivery id is; `None`: where the provider says.
    pub delivery_id: Option<Vec<String>>,
    /// Where the event type is; `None`: where the provider says.
    pub event_type: Option<Vec<String>>,
    /// Where the ordering key is; `None`: where the provider says.
    pub ordering_key: Option<Vec<String>>,
    /// The signature's shape, for provider `hmac`.
    pub hmac: Option<toml::Table>,
}

/// What becomes of a known id with another body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnConflict {
    /// Kept, with no jobs until an operator releases it.
    Park,
    /// Handled as a delivery of its own.
    Process,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct SourceSettings {
    provider: String,
    secrets: Vec<SecretSetting>,
    tenant: Option<Name>,
    enabled: bool,
    #[serde(default, with = "duration::optional")]
    tolerance: Option<Duration>,
    #[serde(default, with = "size::optional")]
    max_body: Option<usize>,
    on_conflict: OnConflict,
    retention: RetentionClass,
    delivery_id: Option<Vec<String>>,
    event_type: Option<Vec<String>>,
    ordering_key: Option<Vec<String>>,
    hmac: Option<toml::Table>,
}

/// `[source_defaults]`. Read only so that a wrong value in it is refused even while no source inherits it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
#[expect(dead_code, reason = "sources inherit the table before this is read")]
pub(super) struct SourceDefaults {
    enabled: bool,
    #[serde(default, with = "duration::optional")]
    tolerance: Option<Duration>,
    #[serde(default, with = "size::optional")]
    max_body: Option<usize>,
    on_conflict: OnConflict,
    retention: RetentionClass,
}

impl SourceSettings {
    pub(super) fn resolve(
        self,
        name: Name,
        keyring: &Keyring<'_>,
        complaints: &mut Complaints,
    ) -> Source {
        let setting = format!("source.{name}.secrets");
        if self.secrets.is_empty() {
            complaints.say(format!(
                "`{setting}` is empty: without a secret anyone could post to /in/{name}; add {{ env = \"VARIABLE\" }}"
            ));
        }
        let secrets: Vec<Secret> = self
            .secrets
            .into_iter()
            .filter_map(|secret| complaints.take(keyring.fetch(&setting, secret)))
            .collect();
        Source {
            name,
            provider: self.provider,
            enabled: self.enabled,
            secrets,
            tenant: self.tenant,
            tolerance: self.tolerance,
            max_body: self.max_body,
            on_conflict: self.on_conflict,
            retention: self.retention,
            delivery_id: self.delivery_id,
            event_type: self.event_type,
            ordering_key: self.ordering_key,
            hmac: self.hmac,
        }
    }
}
