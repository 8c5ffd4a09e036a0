//! From what a source says to the rules its requests are judged by: the one place where configuration meets
//! `hookgate-providers`.

use std::time::Duration;

use hookgate_providers::{ALL, CustomHmac, MAX_SECRETS, OneOrMore, Overrides, Provider, Secret as Key, custom, find};

use super::phrase::{self, nearest};
use super::secret::Secret;
use super::show_duration;

/// The name under which a source describes its provider itself.
const CUSTOM: &str = "hmac";
const LONGEST_TOLERANCE: Duration = Duration::from_secs(86_400);

/// What a source says about its provider.
pub(super) struct Wanted<'a> {
    pub(super) source: &'a str,
    pub(super) provider: &'a str,
    pub(super) hmac: Option<&'a toml::Table>,
    pub(super) tolerance: Option<Duration>,
    pub(super) overrides: Overrides,
}

/// The provider with everything the source says differently. The error names the setting and what to write.
pub(super) fn resolve(wanted: &Wanted<'_>) -> Result<Provider, String> {
    let source = format!("source.{}", wanted.source);
    let provider = match (wanted.provider, wanted.hmac) {
        (CUSTOM, Some(description)) => described(&source, description)?,
        (CUSTOM, None) => {
            return Err(format!(
                "`{source}.provider` is \"hmac\" and [{source}.hmac] is missing: describe there how requests are signed, \
                 at least with `header`"
            ));
        }
        (name, Some(_)) => {
            return Err(format!(
                "[{source}.hmac] is there and `{source}.provider` is \"{name}\": write provider = \"hmac\" or remove the \
                 table"
            ));
        }
        (name, None) => *find(name).ok_or_else(|| unknown(&source, name))?,
    };
    let provider = provider.with(&wanted.overrides).map_err(|error| format!("{source}: {error}"))?;
    match wanted.tolerance {
        Some(tolerance) => tolerating(&source, provider, tolerance),
        None => Ok(provider),
    }
}

fn described(source: &str, description: &toml::Table) -> Result<Provider, String> {
    let description: CustomHmac = description
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| format!("[{source}.hmac]: {}", phrase::from_toml(error.message())))?;
    custom(&description).map_err(|error| format!("[{source}.hmac]: {error}"))
}

fn unknown(source: &str, name: &str) -> String {
    let mut known: Vec<&str> = ALL.iter().map(|provider| provider.name).collect();
    known.push(CUSTOM);
    match nearest(name, &known) {
        Some(near) => {
            format!("`{source}.provider` is \"{name}\", which is unknown; did you mean \"{near}\"?")
        }
        None => format!(
            "`{source}.provider` is \"{name}\", which is unknown: `hookgate providers list` shows the {} there are; \"hmac\" is for any other",
            ALL.len()
        ),
    }
}

fn tolerating(source: &str, mut provider: Provider, tolerance: Duration) -> Result<Provider, String> {
    let seconds = u32::try_from(tolerance.as_secs()).unwrap_or(u32::MAX);
    if seconds == 0 || tolerance > LONGEST_TOLERANCE {
        return Err(format!("`{source}.tolerance` is {}: it must be between 1s and 1d", show_duration(tolerance)));
    }
    // A provider without a signed time has nothing to tolerate. `source_defaults.tolerance` reaches such sources too,
    // so that is no mistake.
    provider.tolerance_s = Some(seconds);
    Ok(provider)
}

/// The secret as verification wants it, checked for the form this provider's secrets have.
pub(super) fn key(setting: &str, provider: &Provider, secret: &Secret) -> Result<Key, String> {
    let refused = |error: hookgate_providers::SecretError| format!("`{setting}` ({}): {error}", secret.reference());
    let key = Key::new(secret.expose()).map_err(refused)?;
    provider.check_secret(&key).map_err(refused)?;
    Ok(key)
}

/// Refuses more live secrets than verification tries.
pub(super) fn few_enough(setting: &str, secrets: usize) -> Result<(), String> {
    if secrets <= MAX_SECRETS {
        return Ok(());
    }
    Err(format!("`{setting}` has {secrets} secrets and at most {MAX_SECRETS} are tried: remove the oldest"))
}

/// As a list, for showing.
pub(super) fn listed(setting: Option<&OneOrMore>) -> Option<Vec<String>> {
    setting.map(|places| match places {
        OneOrMore::One(place) => vec![place.clone()],
        OneOrMore::More(places) => places.clone(),
    })
}
