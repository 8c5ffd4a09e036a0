//! `auth` of a `[[forward]]`, and `proxy_auth`: credentials by reference, made into the one header that carries them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderValue, header};
use serde::Deserialize;

use super::StaticHeader;
use crate::config::secret::{Keyring, SecretSetting};

/// How a destination knows us.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase", expecting = "{ bearer = … } or { basic = { user, password } }")]
pub(in crate::config) enum Auth {
    Bearer(SecretSetting),
    Basic(Basic),
}

/// A user name and its password.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `user` and `password`")]
pub(in crate::config) struct Basic {
    user: String,
    password: SecretSetting,
}

impl Auth {
    pub(super) fn resolve(self, prefix: &str, keyring: &Keyring<'_>) -> Result<StaticHeader, String> {
        match self {
            Self::Bearer(token) => {
                let key = format!("{prefix}.auth.bearer");
                let token = keyring.fetch(&key, token)?;
                let value = sensitive(&key, &format!("Bearer {}", token.expose()))?;
                Ok(StaticHeader { name: header::AUTHORIZATION, value, reference: token.reference().clone() })
            }
            Self::Basic(basic) => basic.resolve(&format!("{prefix}.auth.basic"), header::AUTHORIZATION, keyring),
        }
    }
}

impl Basic {
    /// RFC 7617: the name ends at the first colon, so it can hold none.
    pub(super) fn resolve(
        self,
        key: &str,
        name: header::HeaderName,
        keyring: &Keyring<'_>,
    ) -> Result<StaticHeader, String> {
        if self.user.contains(':') {
            return Err(format!("`{key}.user` has a colon in it, where its password would begin: it cannot be sent"));
        }
        let password = keyring.fetch(&format!("{key}.password"), self.password)?;
        let pair = BASE64_STANDARD.encode(format!("{}:{}", self.user, password.expose()));
        let value = sensitive(key, &format!("Basic {pair}"))?;
        Ok(StaticHeader { name, value, reference: password.reference().clone() })
    }
}

fn sensitive(key: &str, text: &str) -> Result<HeaderValue, String> {
    let mut value: HeaderValue = text
        .parse()
        .map_err(|_| format!("`{key}` has a line break or control character in it: a credential is one line"))?;
    value.set_sensitive(true);
    Ok(value)
}
