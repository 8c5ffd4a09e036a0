//! `sign` and `secret` of a `[[forward]]`: what its destination can verify.

use std::collections::BTreeMap;

use base64::Engine as _;
use hookgate_providers::{Headers, Provider, Secret as Key, SignError, signature_headers};
use serde::{Deserialize, Serialize};

use super::StaticHeader;
use crate::config::error::Complaints;
use crate::config::secret::{Keyring, Secret, SecretSetting};
use crate::config::{Name, Pattern, Source};

/// How a forwarded request is signed.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "sign", rename_all = "kebab-case")]
pub enum Signing {
    /// With Standard Webhooks and this `whsec_…` secret, whose base64 was checked.
    StandardWebhooks {
        /// The secret, prefix included.
        secret: Secret,
    },
    /// As the provider of the sources it takes from would, afresh at every attempt.
    Provider {
        /// Whose signature it is.
        #[serde(skip)]
        provider: Box<Provider>,
        /// The destination's own secret, of the form that provider's secrets have.
        secret: Secret,
        /// The same as signing takes it.
        #[serde(skip)]
        key: Key,
    },
    /// Not at all: the destination cannot tell hookgate from anyone else.
    None,
}

impl Signing {
    /// Which of these headers the signature would take the place of.
    pub(super) fn written_by_it<'h>(&self, headers: &'h [StaticHeader]) -> Vec<&'h str> {
        let Self::Provider { provider, .. } = self else { return Vec::new() };
        let names: Headers = headers.iter().map(|header| (header.name.as_str(), "")).collect();
        let written = signature_headers(provider, &names);
        headers.iter().map(|header| header.name.as_str()).filter(|name| written.contains(name)).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sign {
    StandardWebhooks,
    Provider,
    None,
}

/// What a forward says about its signature.
pub(super) struct Wanted<'a> {
    /// `forward.NAME`.
    pub(super) prefix: &'a str,
    pub(super) from: &'a Pattern,
    pub(super) sign: Sign,
    pub(super) secret: Option<SecretSetting>,
}

impl Wanted<'_> {
    pub(super) fn resolve(
        self,
        sources: &BTreeMap<Name, Source>,
        keyring: &Keyring<'_>,
        complaints: &mut Complaints,
    ) -> Option<Signing> {
        let prefix = self.prefix;
        let signing = match (self.sign, self.secret) {
            (Sign::None, None) => Ok(Signing::None),
            (Sign::None, Some(_)) => {
                Err(format!("`{prefix}.sign` is \"none\" and `{prefix}.secret` is set: remove one of the two"))
            }
            (Sign::StandardWebhooks, None) => Err(format!(
                "`{prefix}.secret` is missing: write secret = {{ env = \"VARIABLE\" }} with a whsec_… secret, or \
                 sign = \"none\" to forward unsigned"
            )),
            (Sign::StandardWebhooks, Some(secret)) => standard_webhooks(prefix, secret, keyring),
            (Sign::Provider, secret) => {
                let taken: Vec<&Source> =
                    sources.values().filter(|source| self.from.matches(source.name.as_str())).collect();
                // A source that was refused is missing here, and what was said about it is what has to be changed.
                if taken.is_empty() && complaints.any() {
                    return None;
                }
                one_provider(prefix, self.from, &taken)
                    .and_then(|provider| as_provider(prefix, provider, secret, keyring))
            }
        };
        complaints.take(signing)
    }
}

fn standard_webhooks(prefix: &str, secret: SecretSetting, keyring: &Keyring<'_>) -> Result<Signing, String> {
    let secret = keyring.fetch(&format!("{prefix}.secret"), secret)?;
    let key = secret
        .expose()
        .strip_prefix("whsec_")
        .and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok());
    // The bounds of the Standard Webhooks specification:
    // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    match key {
        Some(key) if (24..=64).contains(&key.len()) => Ok(Signing::StandardWebhooks { secret }),
        _ => Err(format!(
            "`{prefix}.secret` ({}) is not a Standard Webhooks secret: it is whsec_ and the base64 of 24 to \
             64 random bytes, as `echo whsec_$(openssl rand -base64 32)` makes",
            secret.reference()
        )),
    }
}

/// The provider that all of these sources have.
fn one_provider<'s>(prefix: &str, from: &Pattern, taken: &[&'s Source]) -> Result<&'s Provider, String> {
    let Some(first) = taken.first() else {
        return Err(format!(
            "`{prefix}.sign` is \"provider\" and `{prefix}.from` (\"{from}\") matches no [source.NAME], so there is no \
             provider to sign as: add the source or correct `from`"
        ));
    };
    // Two sources of "hmac" are of one kind only where they are described alike.
    let same = |source: &&&Source| source.provider.name == first.provider.name && source.hmac == first.hmac;
    match taken.iter().find(|source| !same(source)) {
        None => Ok(&first.provider),
        Some(other) => Err(format!(
            "`{prefix}.sign` is \"provider\" and `{prefix}.from` (\"{from}\") takes sources of several providers, such as \
             {} ({}) and {} ({}): write a [[forward]] for each provider",
            first.name, first.provider.name, other.name, other.provider.name
        )),
    }
}

fn as_provider(
    prefix: &str,
    provider: &Provider,
    secret: Option<SecretSetting>,
    keyring: &Keyring<'_>,
) -> Result<Signing, String> {
    let title = provider.title;
    let Some(secret) = secret else {
        return Err(format!(
            "`{prefix}.secret` is missing: with sign = \"provider\" it is the secret that the destination verifies {title} \
             with; write secret = {{ env = \"VARIABLE\" }}"
        ));
    };
    let setting = format!("{prefix}.secret");
    let secret = keyring.fetch(&setting, secret)?;
    let malformed = |error: hookgate_providers::SecretError| format!("`{setting}` ({}): {error}", secret.reference());
    let key = Key::new(secret.expose()).map_err(malformed)?;
    match provider.check_resigning(&key) {
        Err(SignError::Secret(error)) => return Err(malformed(error)),
        Err(error) => {
            return Err(format!(
                "`{prefix}.sign` is \"provider\", and what {title} sends cannot be signed anew: {error}; write \
                 sign = \"standard-webhooks\" or sign = \"none\""
            ));
        }
        Ok(()) => provider.check_secret(&key).map_err(malformed)?,
    }
    Ok(Signing::Provider { provider: Box::new(*provider), secret, key })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{Config, Mode};

    const SOURCES: &str = "\
[source.shop]\nprovider = 'stripe'\nsecrets = ['s1']\n[source.shop-eu]\nprovider = 'stripe'\nsecrets = ['s2']\n\
[source.code]\nprovider = 'github'\nsecrets = ['s3']\n\
[source.games]\nprovider = 'discord'\nsecrets = ['3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29']\n\
[source.mail]\nprovider = 'mailgun'\nsecrets = ['s4']\n\
[source.alerts]\nprovider = 'alertmanager'\nsecrets = ['u:p']\n\
[source.login]\nprovider = 'svix'\nsecrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']\n\
[source.own-a]\nprovider = 'hmac'\nsecrets = ['a']\nhmac.header = 'x-a'\n\
[source.own-b]\nprovider = 'hmac'\nsecrets = ['b']\nhmac.header = 'x-b'\n";

    fn loaded(forward: &str) -> Result<Config, String> {
        let text = format!(
            "{SOURCES}[[forward]]\nname = 'app'\nto = 'http://127.0.0.1:3000/'\nsign = 'provider'\n{forward}\n"
        );
        Config::from_toml(&text, &BTreeMap::new(), Mode::Dev).map_err(|error| error.to_string())
    }

    #[test]
    fn a_forward_signs_as_the_one_provider_it_takes_from_with_the_destinations_secret() {
        let config = loaded("from = 'shop*'\nsecret = 'whsec_of_the_app'").expect("accepted");
        let Signing::Provider { provider, .. } = &config.forwards[0].signing else { panic!("another signature") };
        assert_eq!(provider.name, "stripe");
        let shown = config.to_toml();
        assert!(shown.contains("sign = \"provider\"") && !shown.contains("whsec_of_the_app"), "{shown}");
    }

    #[test]
    fn what_cannot_be_signed_is_refused_by_name_with_what_to_write_instead() {
        let table = [
            ("from = '*o*'\nsecret = 'x'", "code (github) and login (svix)"),
            ("from = 'own-*'\nsecret = 'x'", "own-a (hmac) and own-b (hmac)"),
            ("from = 'none'\nsecret = 'x'", "matches no [source.NAME]"),
            ("from = 'shop'", "the secret that the destination verifies Stripe with"),
            (
                "from = 'games'\nsecret = '3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29'",
                "what a receiver holds; write sign = \"standard-webhooks\" or sign = \"none\"",
            ),
            ("from = 'mail'\nsecret = 'x'", "into the body, which is sent on as it was received; write sign ="),
            (
                "from = 'login'\nsecret = 'whsec_not base64'",
                "`forward.app.secret` (literal): the secret is not valid base64",
            ),
            ("from = 'shop'\nsecret = ' x'", "white space"),
            (
                "from = 'alerts'\nsecret = 'u:p'\nheaders = { authorization = 'Bearer x' }",
                "`forward.app.headers.authorization`",
            ),
        ];
        for (forward, why) in table {
            let refused = loaded(forward).map(|_| ()).expect_err(forward);
            assert!(refused.contains(why) && refused.contains("forward.app"), "{forward}\n{refused}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_source_is_said_once() {
        let text = "[source.shop]\nprovider = 'strpie'\nsecrets = ['x']\n[[forward]]\nname = 'app'\nfrom = 'shop'\n\
                    to = 'http://127.0.0.1:3000/'\nsign = 'provider'\nsecret = 'x'\n";
        let refused = Config::from_toml(text, &BTreeMap::new(), Mode::Dev).expect_err("refused").to_string();
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
}
