//! `[source.NAME]`: one ingest endpoint.

use std::time::Duration;

use hookgate_providers::{OneOrMore, Overrides, Provider, Secret as Key};
use serde::{Deserialize, Serialize, Serializer};

use super::error::Complaints;
use super::reply::{Reply, ReplySettings};
use super::secret::{Keyring, Secret, SecretSetting};
use super::{Name, RetentionClass, duration, provider, size, url_key};

/// One ingest endpoint, `/in/{name}`.
#[derive(Debug, Clone, Serialize)]
pub struct Source {
    /// The name in the URL.
    #[serde(skip)]
    pub name: Name,
    /// The provider's rules, with everything this source says differently already in them.
    #[serde(serialize_with = "by_name")]
    pub provider: Provider,
    /// Whether it receives; a disabled source is answered as an unknown one.
    pub enabled: bool,
    /// Live secrets, any of which may match. At least one, unless the provider sends its secret in a handshake.
    pub secrets: Vec<Secret>,
    /// The same secrets in the same order, as verification takes them.
    #[serde(skip)]
    pub keys: Vec<Key>,
    /// What stands behind the name in the URL and nobody can guess; `None`: nothing does.
    pub url_key: Option<Secret>,
    /// Whether any path below the source's is the source's too.
    pub subpaths: bool,
    /// Where providers reach this source, instead of `server.public_url`.
    pub public_url: Option<String>,
    /// Whose events these are; `None`: nobody's in particular.
    pub tenant: Option<Name>,
    /// Its part of a handler's places, relative to the other sources of that handler.
    pub weight: u16,
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
    /// Where the delivery id is, as written; `None`: where the provider says. Like the next three and `hmac`, kept
    /// for showing: `provider` has it all.
    pub delivery_id: Option<Vec<String>>,
    /// Where the event type is; `None`: where the provider says.
    pub event_type: Option<Vec<String>>,
    /// Where the ordering key is; `None`: where the provider says.
    pub ordering_key: Option<Vec<String>>,
    /// Where the version is; `None`: where the provider says.
    pub version: Option<Vec<String>>,
    /// What the sender is told, instead of what the provider wants to hear.
    pub reply: Option<Reply>,
    /// How long a handler that answers may take, from the request's head; `None`: a margin less than the provider waits.
    #[serde(with = "duration::optional")]
    pub respond_within: Option<Duration>,
    /// The signature's shape, for provider `hmac`.
    pub hmac: Option<toml::Table>,
}

impl Source {
    /// The path that providers call, `url_key` in clear: for the operator's eyes, and for sending to ourselves.
    pub fn ingest_path(&self) -> String {
        match &self.url_key {
            Some(key) => format!("/in/{}/{}", self.name, key.expose()),
            None => format!("/in/{}", self.name),
        }
    }
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
    url_key: Option<SecretSetting>,
    subpaths: bool,
    public_url: Option<String>,
    reply: Option<ReplySettings>,
    tenant: Option<Name>,
    enabled: bool,
    weight: u16,
    #[serde(default, with = "duration::optional")]
    tolerance: Option<Duration>,
    #[serde(default, with = "size::optional")]
    max_body: Option<usize>,
    on_conflict: OnConflict,
    retention: RetentionClass,
    delivery_id: Option<OneOrMore>,
    event_type: Option<OneOrMore>,
    ordering_key: Option<OneOrMore>,
    version: Option<OneOrMore>,
    #[serde(default, with = "duration::optional")]
    respond_within: Option<Duration>,
    hmac: Option<toml::Table>,
}

fn by_name<S: Serializer>(provider: &Provider, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(provider.name)
}

/// `[source_defaults]`. Read only so that a wrong value in it is refused even while no source inherits it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
#[expect(dead_code, reason = "sources inherit the table before this is read")]
pub(super) struct SourceDefaults {
    enabled: bool,
    weight: u16,
    subpaths: bool,
    #[serde(default, with = "duration::optional")]
    tolerance: Option<Duration>,
    #[serde(default, with = "size::optional")]
    max_body: Option<usize>,
    on_conflict: OnConflict,
    retention: RetentionClass,
}

impl SourceSettings {
    pub(super) fn resolve(self, name: Name, keyring: &Keyring<'_>, complaints: &mut Complaints) -> Option<Source> {
        let setting = format!("source.{name}.secrets");
        let is_empty = self.secrets.is_empty();
        complaints.take(provider::few_enough(&setting, self.secrets.len()));
        let secrets: Vec<Secret> =
            self.secrets.into_iter().filter_map(|secret| complaints.take(keyring.fetch(&setting, secret))).collect();
        let url_key = self.url_key.and_then(|secret| {
            let setting = format!("source.{name}.url_key");
            complaints.take(keyring.fetch(&setting, secret).and_then(|key| url_key::check(&setting, key)))
        });
        let reply = self.reply.and_then(|reply| complaints.take(reply.resolve(&format!("source.{name}.reply"))));
        let wanted = provider::Wanted {
            source: name.as_str(),
            provider: &self.provider,
            hmac: self.hmac.as_ref(),
            tolerance: self.tolerance,
            overrides: Overrides {
                delivery_id: self.delivery_id,
                event_type: self.event_type,
                ordering_key: self.ordering_key,
                version: self.version,
            },
        };
        let provider = complaints.take(provider::resolve(&wanted))?;
        if is_empty && !provider.offers_secrets() {
            complaints.say(format!(
                "`{setting}` is empty: without a secret anyone could post to /in/{name}; add {{ env = \"VARIABLE\" }}"
            ));
        }
        let keys =
            secrets.iter().filter_map(|secret| complaints.take(provider::key(&setting, &provider, secret))).collect();
        let overrides = wanted.overrides;
        Some(Source {
            name,
            provider,
            enabled: self.enabled,
            secrets,
            keys,
            url_key,
            subpaths: self.subpaths,
            public_url: self.public_url,
            reply,
            respond_within: self.respond_within,
            tenant: self.tenant,
            weight: self.weight,
            tolerance: self.tolerance,
            max_body: self.max_body,
            on_conflict: self.on_conflict,
            retention: self.retention,
            delivery_id: provider::listed(overrides.delivery_id.as_ref()),
            event_type: provider::listed(overrides.event_type.as_ref()),
            ordering_key: provider::listed(overrides.ordering_key.as_ref()),
            version: provider::listed(overrides.version.as_ref()),
            hmac: self.hmac,
        })
    }
}
